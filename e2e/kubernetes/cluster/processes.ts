import { readdir, readFile } from "node:fs/promises";
import type { Pod } from "./objects.ts";

/**
 * The processes of a pod, as the node sees them: those whose cgroup is named after it, as cgroupfs (`pod<uid>`) and as
 * systemd (`pod<uid with _>.slice`) write it. Empty where this program does not run on the pod's node, in its process namespace.
 * The one that only holds the pod's namespaces is left out.
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

/** Sends a signal to each process of a pod; false where none can be seen from here. */
export async function signalPod(pod: Pod, signal: NodeJS.Signals): Promise<boolean> {
  const pids = await processesOf(pod);
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended meanwhile.
    }
  }
  return pids.length > 0;
}

/** Memory of a pod's processes in bytes: what is theirs alone and their share of the rest (Pss). */
export async function memoryOf(pod: Pod): Promise<number> {
  let bytes = 0;
  for (const pid of await processesOf(pod)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
    bytes += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return bytes;
}
