import { join } from "node:path";
import { type Roots, readText } from "./roots.ts";

export interface MemoryFigures {
  total: number;
  used: number;
  free: number;
  usage: number;
  available: number;
  swapTotal?: number;
  swapUsed?: number;
}

/**
 * /proc/meminfo in bytes. Used is what cannot be freed without swapping, MemTotal − MemAvailable, as in `free` and
 * OpenTelemetry. Kernels before 3.14 lack MemAvailable; there free and droppable memory counts as available.
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
