import { readFile } from "node:fs/promises";

/** Total usage of a process and its descendants, including those that have exited. */
export interface Usage {
  cpuMs: number;
  /** Bytes of pages it caused to be written to disk: `write_bytes` of /proc/<pid>/io. */
  writtenBytes: number;
}

/** USER_HZ, 100 on every platform that Sonde's binaries support. */
const msPerTick = 10;

/** User and system time and written bytes of a process tree, as counted by the kernel. Linux only. */
export async function usageOf(pid: number): Promise<Usage> {
  const [own, below] = await Promise.all([usageOfOne(pid), descendantsOf(pid)]);
  const others = await Promise.all(below.map((child) => usageOfOne(child).catch(() => none)));
  return others.reduce((sum, one) => added(sum, one), own);
}

const none: Usage = { cpuMs: 0, writtenBytes: 0 };
const added = (left: Usage, right: Usage): Usage => ({
  cpuMs: left.cpuMs + right.cpuMs,
  writtenBytes: left.writtenBytes + right.writtenBytes,
});

/** Includes children that have exited. */
async function usageOfOne(pid: number): Promise<Usage> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name may contain spaces, so fields are counted from the third (proc_pid_stat(5)).
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, userOfReaped = 0, systemOfReaped = 0] = fields.slice(11, 15);
  const ticks = user + system + userOfReaped + systemOfReaped;
  // The kernel adds the writes of reaped children to the parent's count.
  const io = await readFile(`/proc/${pid}/io`, "utf8");
  return { cpuMs: ticks * msPerTick, writtenBytes: Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0) };
}

async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.trim().split(" ").filter(Boolean).map(Number);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flat()];
}
