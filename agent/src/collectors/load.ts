import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

/** Load averages of /proc/loadavg. */
export function parseLoadavg(text: string): { one: number; five: number; fifteen: number } | undefined {
  const [one, five, fifteen] = text.split(" ", 3).map(Number);
  if (one === undefined || five === undefined || fifteen === undefined) return undefined;
  return [one, five, fifteen].every(Number.isFinite) ? { one, five, fifteen } : undefined;
}

/** Seconds since boot, of /proc/uptime. */
export function parseUptime(text: string): number | undefined {
  const seconds = Number(text.split(" ", 1)[0] || Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

export const readLoad = (roots: Roots) => parseLoadavg(readText(join(roots.proc, "loadavg")) ?? "");
export const readUptime = (roots: Roots) => parseUptime(readText(join(roots.proc, "uptime")) ?? "");
