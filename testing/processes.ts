import { readdir, readFile } from "node:fs/promises";
import { basename } from "node:path";

/** A process as the kernel reports it (Linux). */
export type Process = {
  pid: number;
  /** Readable name, such as `core` or `PostgreSQL`. */
  name: string;
  /** User and system time of the process and its reaped children, in milliseconds. */
  cpuMs: number;
  /** Proportional set size in MiB: a page shared by n processes counts 1/n for each. */
  pssMib: number;
  /** Anonymous part of it, in MiB. */
  anonymousMib: number;
};

/** USER_HZ, 100 on every platform that Sonde's binaries support. */
const msPerTick = 10;

/** A process and all its descendants. */
export async function processesBelow(pid: number): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = (await Promise.all(pids.map(statOf))).filter((stat) => stat !== null);
  const below: Process[] = [];
  const add = async (stat: Stat) => {
    const process = await describe(stat).catch(() => null); // It has just exited.
    if (process !== null) below.push(process);
    for (const child of stats) if (child.parent === stat.pid) await add(child);
  };
  const first = stats.find((stat) => stat.pid === pid);
  if (first !== undefined) await add(first);
  return below;
}

/** Those that are still running. */
export async function processesOf(pids: readonly number[]): Promise<Process[]> {
  const stats = (await Promise.all(pids.map(statOf))).filter((stat) => stat !== null);
  const found = await Promise.all(stats.map((stat) => describe(stat).catch(() => null)));
  return found.filter((process) => process !== null);
}

type Stat = { pid: number; parent: number; cpuMs: number };

async function statOf(pid: number): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  // The name may contain spaces, so fields are counted from the third (proc_pid_stat(5)).
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + each, 0);
  return { pid, parent: fields[1] ?? 0, cpuMs: ticks * msPerTick };
}

async function describe({ pid, cpuMs }: Stat): Promise<Process> {
  const [command, memory] = await Promise.all([
    readFile(`/proc/${pid}/cmdline`, "utf8"),
    readFile(`/proc/${pid}/smaps_rollup`, "utf8"),
  ]);
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(memory)?.[1] ?? 0) / 1024;
  return { pid, name: nameOf(command), cpuMs, pssMib: mib("Pss"), anonymousMib: mib("Pss_Anon") };
}

/** Name of the service, otherwise of the script or program. */
function nameOf(command: string): string {
  if (command.startsWith("postgres:") || /\/postgres\0/.test(command)) return "PostgreSQL";
  const words = command.split("\0").filter((word) => word !== "" && !word.startsWith("--"));
  const script = words.findIndex((word) => /\.m?[jt]s$/.test(word));
  if (/[/-]child\.[jt]s$/.test(words[script] ?? "")) return words[script + 1] ?? "child";
  if (script > 0) return basename(words[script] ?? "");
  return basename(words[0] ?? "").trim();
}

/** Groups processes by name. */
export function byName(processes: readonly Process[]): Map<string, Process[]> {
  return Map.groupBy(processes, ({ name }) => name);
}
