import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

export interface CpuTimes {
  busy: number;
  idle: number;
  cores: number;
}

/**
 * The aggregate line of /proc/stat in ticks since boot. Of its ten fields the first eight count: `user` and `nice`
 * already hold the guests' time. Waiting for a disk is idle; stolen time is use. See proc(5).
 */
export function parseStat(text: string): CpuTimes | undefined {
  const line = /^cpu +(.+)$/m.exec(text)?.[1];
  if (line === undefined) return undefined;
  const fields = line.split(" ").slice(0, 8).map(Number);
  if (fields.length < 4 || fields.some((field) => !Number.isFinite(field))) return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = fields;
  const cores = text.match(/^cpu\d+ /gm)?.length ?? 0;
  return { busy: user + nice + system + irq + softirq + steal, idle: idle + iowait, cores };
}

/**
 * Percent of all cores in use between two readings; a field that decreased counts as unchanged. Undefined without time
 * between them, or if idle time decreased, as it does when a core is unplugged.
 */
export function cpuUsage(before: CpuTimes | undefined, now: CpuTimes): number | undefined {
  if (before === undefined || now.idle < before.idle - now.cores * 100) return undefined;
  const busy = Math.max(0, now.busy - before.busy);
  const total = busy + Math.max(0, now.idle - before.idle);
  return total === 0 ? undefined : (busy / total) * 100;
}

/** x86 has `model name`; ARM boards have `Model` or nothing, then the device tree has it. */
export function parseModel(cpuinfo: string): string | undefined {
  return /^(?:model name|Model|cpu model|Processor)\s*: *(.+)$/m.exec(cpuinfo)?.[1]?.trim();
}

export function readStat(roots: Roots): CpuTimes | undefined {
  const text = readText(join(roots.proc, "stat"));
  return text === undefined ? undefined : parseStat(text);
}

export function readModel(roots: Roots): string | undefined {
  const fromCpuinfo = parseModel(readText(join(roots.proc, "cpuinfo")) ?? "");
  return fromCpuinfo ?? readText(join(roots.proc, "device-tree/model"))?.replaceAll("\0", "").trim();
}
