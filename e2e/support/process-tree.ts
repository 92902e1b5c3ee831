import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A process and everything below it, parents first. */
export async function treeOf(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-eo", "pid=,ppid="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const tree = [pid];
  for (const parent of tree) tree.push(...rows.filter(([, ppid]) => ppid === parent).map(([child]) => child));
  return tree;
}

/** kill -9 of a process and everything below it, at one instant as nearly as signals can be. */
export async function killTree(pid: number): Promise<void> {
  for (const member of await treeOf(pid)) {
    try {
      process.kill(member, "SIGKILL");
    } catch {
      // It had ended in between.
    }
  }
}
