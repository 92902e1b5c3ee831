import { execFile, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

export const root = resolve(import.meta.dirname, "../..");

/** Why a step did not run: what it needs is not on this machine. */
export type Skipped = { skipped: string };
/** A check. `run` returns the fault; an empty text means success. */
export type VerifyStep = { name: string; run: () => Promise<string | Skipped> };

/** A step that runs the pinned Node or a program of node_modules/.bin; it fails with its output on a non-zero exit code. */
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

/** A step that runs a program of the PATH, from the repository's root; skipped where it is not there. */
export function toolOfMachine([name = "", ...args]: string[]): () => Promise<string | Skipped> {
  return () =>
    promisify(execFile)(name, args, { cwd: root }).then(
      () => "",
      (fault: NodeJS.ErrnoException & { stdout?: string; stderr?: string }) =>
        fault.code === "ENOENT"
          ? { skipped: `${name} is not here` }
          : [fault.stdout, fault.stderr].join("\n").trim() || fault.message,
    );
}

/** Runs steps, a few at once, prints one line each and what failed below it. Returns whether all hold. */
export async function runSteps(steps: readonly VerifyStep[], atOnce: number, print = console.log): Promise<boolean> {
  const waiting = [...steps];
  let allHold = true;
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const startedAt = performance.now();
      const fault = await step.run().catch((thrown: unknown) => String(thrown));
      if (typeof fault === "object") {
        print(`- ${step.name}: skipped, ${fault.skipped}`);
        continue;
      }
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      print(`${fault ? "✗" : "✓"} ${step.name} (${seconds} s)`);
      if (fault) print(fault.replace(/^/gm, "  "));
      allHold &&= fault === "";
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return allHold;
}
