import { spawn } from "node:child_process";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");

/** Something that must hold. `run` answers what is wrong; an empty text says that all is well. */
export type Step = { name: string; run: () => Promise<string> };

/** A step that runs a program of node_modules/.bin; its output counts where its exit code is not 0. */
export function tool([name = "", ...args]: string[], folder = "."): () => Promise<string> {
  return () =>
    new Promise((done) => {
      const child = spawn(join(root, "node_modules/.bin", name), args, { cwd: join(root, folder) });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
      child.once("error", (fault) => done(fault.message));
      child.once("close", (code) => done(code === 0 ? "" : output.trim() || `${name} ended with ${code}`));
    });
}

/** Runs steps, a few at once, prints one line each and what failed below it. Answers whether all hold. */
export async function runSteps(steps: readonly Step[], atOnce: number, print = console.log): Promise<boolean> {
  const waiting = [...steps];
  let allHold = true;
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) {
      const startedAt = performance.now();
      const fault = await step.run().catch((thrown: unknown) => String(thrown));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      print(`${fault ? "✗" : "✓"} ${step.name} (${seconds} s)`);
      if (fault) print(fault.replace(/^/gm, "  "));
      allHold &&= fault === "";
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return allHold;
}
