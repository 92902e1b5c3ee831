import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A process and all its descendants, parents first. */
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

/**
 * Kills (kill -9) all descendants of a process except one, which is matched by its command line. Ancestors of that one
 * are stopped, so that they restart nothing. `killTree` ends the rest.
 */
export async function leaveAlone(pid: number, command: RegExp): Promise<void> {
  const { stdout } = await run("ps", ["-eo", "pid=,ppid=,args="]);
  const rows = new Map(
    stdout
      .trim()
      .split("\n")
      .flatMap((line) => {
        const [, id, parent, args] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
        return args === undefined ? [] : [[Number(id), { parent: Number(parent), args }] as const];
      }),
  );
  const tree = await treeOf(pid);
  const left = tree.find((member) => command.test(rows.get(member)?.args ?? ""));
  if (left === undefined) throw new Error(`no process below ${pid} runs ${command.source}`);
  const above = new Set<number>();
  for (let at = rows.get(left)?.parent; at !== undefined && tree.includes(at); at = rows.get(at)?.parent) above.add(at);
  for (const member of above) process.kill(member, "SIGSTOP");
  for (const member of tree) {
    if (member === left || above.has(member)) continue;
    try {
      process.kill(member, "SIGKILL");
    } catch {
      // Already exited.
    }
  }
}

/** Kills (kill -9) a process and all its descendants as simultaneously as signals allow. */
export async function killTree(pid: number): Promise<void> {
  for (const member of await treeOf(pid)) {
    try {
      process.kill(member, "SIGKILL");
    } catch {
      // Already exited.
    }
  }
}
