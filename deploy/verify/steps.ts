import { execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

export const root = resolve(import.meta.dirname, "../..");

export type Skipped = { skipped: string };
/** `run` returns the errors, or "" for success. */
export type VerifyStep = { name: string; run: () => Promise<string | Skipped> };

/** Returns a step that runs the pinned Node or a program in node_modules/.bin, and returns its output if it fails. */
export function tool([name = "", ...args]: string[], folder = "."): () => Promise<string> {
  return () =>
    new Promise((done) => {
      const program = name === "node" ? process.execPath : join(root, "node_modules/.bin", name);
      const child = spawn(program, args, { cwd: join(root, folder) });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.once("error", (fault) => done(fault.message));
      child.once("close", (code) => done(code === 0 ? "" : output.trim() || `${name} ended with ${code}`));
    });
}

/** Returns a step that runs a program on PATH, and is skipped if the program is missing. */
export function systemTool([name = "", ...args]: string[]): () => Promise<string | Skipped> {
  return () =>
    promisify(execFile)(name, args, { cwd: root }).then(
      () => "",
      (fault: NodeJS.ErrnoException & { stdout?: string; stderr?: string }) =>
        fault.code === "ENOENT"
          ? { skipped: `${name} is not installed` }
          : [fault.stdout, fault.stderr].join("\n").trim() || fault.message,
    );
}

/** Runs up to `atOnce` steps in parallel, and prints a line per step and the errors. Returns true if all succeed. */
export async function runSteps(steps: readonly VerifyStep[], atOnce: number, print = console.log): Promise<boolean> {
  const waiting = [...steps];
  let isSuccess = true;
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const startedAt = performance.now();
      const errors = await step.run().catch((thrown: unknown) => String(thrown));
      if (typeof errors === "object") {
        print(`- ${step.name}: skipped, ${errors.skipped}`);
        continue;
      }
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      print(`${errors ? "✗" : "✓"} ${step.name} (${seconds} s)`);
      if (errors) print(errors.replace(/^/gm, "  "));
      isSuccess &&= errors === "";
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return isSuccess;
}
