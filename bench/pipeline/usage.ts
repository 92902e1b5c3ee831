import { readFile } from "node:fs/promises";

/** What a process and all below it have used since they began, those that have ended included. */
export interface Usage {
  cpuMs: number;
  /** Bytes of pages that it caused to be written to a disk: `write_bytes` of /proc/<pid>/io. */
  writtenBytes: number;
}

/** USER_HZ, which Linux shows to programs on every machine that Sonde's binaries run on. */
const msPerTick = 10;

/** User and system time of a process with all below it, and what they wrote, by the kernel's word. Linux alone. */
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

/** With those of its children that have ended. */
async function usageOfOne(pid: number): Promise<Usage> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name may hold spaces; the fields after it are counted from the third (proc_pid_stat(5)).
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [user = 0, system = 0, userOfReaped = 0, systemOfReaped = 0] = fields.slice(11, 15);
  const ticks = user + system + userOfReaped + systemOfReaped;
  // The kernel adds what reaped children wrote to their parent's own count.
  const io = await readFile(`/proc/${pid}/io`, "utf8");
  return { cpuMs: ticks * msPerTick, writtenBytes: Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0) };
}

async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const children = text.trim().split(" ").filter(Boolean).map(Number);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flat()];
}
