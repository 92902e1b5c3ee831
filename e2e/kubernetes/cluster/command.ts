import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";

export interface CommandOptions {
  input?: string;
  cwd?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

const defaultTimeoutMs = 120_000;

/** Runs a program and returns its exit code and output. @throws Error if it cannot be started */
export async function tryCommand(
  program: string,
  args: readonly string[],
  { input, cwd, timeoutMs = defaultTimeoutMs, signal }: CommandOptions = {},
): Promise<Ended> {
  const child = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "pipe"], timeout: timeoutMs, signal });
  // A program that exits before it read its input reports the reason itself.
  child.stdin.on("error", () => {});
  child.stdin.end(input ?? "");
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, output, errors };
}

/** Runs a program and returns its output. @throws Error with its error output unless it exits with 0 */
export async function command(program: string, args: readonly string[], options?: CommandOptions): Promise<string> {
  const { code, output, errors } = await tryCommand(program, args, options);
  if (code === 0) return output;
  throw new Error(`${program} ${args.join(" ")} exited with ${code}: ${errors.trim() || output.trim()}`);
}
