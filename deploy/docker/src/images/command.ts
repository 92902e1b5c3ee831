import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { StartupError } from "@sonde/kit/embedded/startup-error";

/**
 * Runs a program and shows its output if it fails.
 * @throws StartupError with its last lines
 */
export async function command(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  await output(program, args, environment);
}

/** The same, and answers what it wrote. @throws StartupError with its last lines */
export async function output(program: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once("error", (cause) =>
      reject(new StartupError(`${program} cannot be started: ${cause.message}`, { cause })),
    );
    child.once("close", (code, signal) => resolve(code ?? signal ?? 1));
  });
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code === 0) return out;
  const said = `${out}\n${errors}`.trim().split("\n").slice(-30).join("\n");
  throw new StartupError(`${program} ${args[0] ?? ""} failed (${code}):\n${said}`);
}

/** Whether a program exists and succeeds. */
export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  output(program, args).then(
    () => true,
    () => false,
  );
