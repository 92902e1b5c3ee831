import type { MemoryFigures } from "./collector.ts";
import { join } from "node:path";
import { readText, type Roots } from "./roots.ts";

export interface CpuTimes {
  busy: number;
  idle: number;
  cores: number;
}

/**
 * Parses the aggregate line of /proc/stat, in ticks since boot. Only the first eight of ten fields count, because
 * `user` and `nice` include guest time. Waiting for I/O is idle; stolen time is busy. See proc(5).
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
 * CPU usage in percent between two readings; a field that decreased counts as unchanged. `undefined` without elapsed
 * time, or if idle time decreased, as after unplugging a core.
 */
export function cpuUsage(before: CpuTimes | undefined, now: CpuTimes): number | undefined {
  if (before === undefined || now.idle < before.idle - now.cores * 100) return undefined;
  const busy = Math.max(0, now.busy - before.busy);
  const total = busy + Math.max(0, now.idle - before.idle);
  return total === 0 ? undefined : (busy / total) * 100;
}

/** x86 has `model name`, ARM boards have `Model` or only the device tree. */
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

/**
 * Bytes. Used is MemTotal − MemAvailable, as in `free` and OpenTelemetry. Kernels before 3.14 lack MemAvailable;
 * there free and droppable memory counts as available.
 */
export function parseMeminfo(text: string): MemoryFigures | undefined {
  const figures = new Map<string, number>();
  for (const [, name, kib] of text.matchAll(/^([\w()]+): +(\d+)/gm)) figures.set(name ?? "", Number(kib) * 1024);
  const of = (name: string) => figures.get(name) ?? 0;
  const total = of("MemTotal");
  if (total === 0) return undefined;
  const droppable = of("MemFree") + of("Buffers") + of("Cached") + of("SReclaimable") - of("Shmem");
  const available = Math.min(total, Math.max(0, figures.get("MemAvailable") ?? droppable));
  const used = total - available;
  return {
    total,
    used,
    free: of("MemFree"),
    usage: (used / total) * 100,
    available,
    swapTotal: of("SwapTotal"),
    swapUsed: Math.max(0, of("SwapTotal") - of("SwapFree")),
  };
}

export function readMemory(roots: Roots): MemoryFigures | undefined {
  const text = readText(join(roots.proc, "meminfo"));
  return text === undefined ? undefined : parseMeminfo(text);
}

export function parseLoadavg(text: string): { one: number; five: number; fifteen: number } | undefined {
  const [one, five, fifteen] = text.split(" ", 3).map(Number);
  if (one === undefined || five === undefined || fifteen === undefined) return undefined;
  return [one, five, fifteen].every(Number.isFinite) ? { one, five, fifteen } : undefined;
}

/** Seconds since boot. */
export function parseUptime(text: string): number | undefined {
  const seconds = Number(text.split(" ", 1)[0] || Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

export const readLoad = (roots: Roots) => parseLoadavg(readText(join(roots.proc, "loadavg")) ?? "");
export const readUptime = (roots: Roots) => parseUptime(readText(join(roots.proc, "uptime")) ?? "");
