import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { killTree } from "@sonde/testing/process-tree";

const root = resolve(import.meta.dirname, "../..");

/** Runs a script on the pinned Node within a test. Returns its exit code and the end of its output. */
export async function runScript(path: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(join(root, "deploy/local/node"), [join(root, path), ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) await killTree(child.pid);
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(-50_000)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}
