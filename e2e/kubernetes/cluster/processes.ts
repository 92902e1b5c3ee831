import { readdir, readFile } from "node:fs/promises";
import type { Pod } from "./objects.ts";

/**
 * Returns the processes of a pod, identified by the name of their cgroup under cgroupfs (`pod<uid>`) or systemd
 * (`pod<uid with _>.slice`). Omits the pause process that holds the pod's namespaces. Empty unless this program runs on
 * the pod's node, in the node's process namespace.
 */
export async function processesOf({ metadata: { uid } }: Pod, root = "/proc"): Promise<number[]> {
  const names = [`pod${uid}`, `pod${uid.replaceAll("-", "_")}.slice`];
  const found: number[] = [];
  for (const entry of await readdir(root)) {
    if (!/^\d+$/.test(entry)) continue;
    const [cgroups, commandLine] = await Promise.all(
      ["cgroup", "cmdline"].map((file) => readFile(`${root}/${entry}/${file}`, "utf8").catch(() => "")),
    );
    const isOfPod = (cgroups ?? "").split(/[/\n]/).some((part) => names.some((name) => part.endsWith(name)));
    if (isOfPod && !/(^|\/)pause\0/.test(commandLine ?? "")) found.push(Number(entry));
  }
  return found;
}

/** Sends a signal to each process of a pod. Returns whether any process is visible. */
export async function signalPod(pod: Pod, signal: NodeJS.Signals): Promise<boolean> {
  const pids = await processesOf(pod);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process has exited.
    }
  }
  return pids.length > 0;
}

/** Returns the proportional memory (Pss) of a pod's processes in bytes. */
export async function memoryOf(pod: Pod): Promise<number> {
  let bytes = 0;
  for (const pid of await processesOf(pod)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return bytes;
}
