import { byMonitor, intervalErrors, ms, percentile } from "@sonde/testing/figures";
import type { Load, Observation } from "./system.ts";

/** One column of the table. Lower is better for all figures. */
export type Measured = Record<keyof typeof rows, number>;

const mib = (value: number) => `${value.toFixed(0)} MiB`;
const counted = (value: number) => String(value);
const rows = {
  cpu: { what: "CPU a check", write: ms },
  ratio: { what: "the same, × a bare `http.request`", write: (value: number) => `${value.toFixed(1)} ×` },
  pss: { what: "memory (PSS, most)", write: mib },
  anonymous: { what: "anonymous memory, most", write: mib },
  p50: { what: "error of the interval, p50", write: ms },
  p99: { what: "the same, p99", write: ms },
  max: { what: "the same, max", write: ms },
  missed: { what: "slots missed", write: counted },
  written: { what: "written to disk a check", write: (value: number) => `${(value / 1024).toFixed(2)} KiB` },
};

/** Figures of one column: resource use of its processes, and what arrived at the target. */
export function measure(observed: Observation, load: Load, bareMs: number): Measured {
  const { arrivals, passedMs, cpuMs, writtenBytes, maxPssMib, maxAnonymousMib } = observed;
  const intervalMs = load.intervalSeconds * 1000;
  const times = byMonitor(arrivals);
  const checks = arrivals.ids.length;
  const errors = intervalErrors(times.values(), intervalMs);
  const wanted = Math.floor(passedMs / intervalMs);
  let missed = (load.count - times.size) * wanted;
  for (const instants of times.values()) missed += Math.max(0, wanted - instants.length);
  return {
    cpu: cpuMs / checks,
    ratio: cpuMs / checks / bareMs,
    pss: maxPssMib,
    anonymous: maxAnonymousMib,
    p50: percentile(errors, 0.5),
    p99: percentile(errors, 0.99),
    max: percentile(errors, 1),
    missed,
    written: writtenBytes / checks,
  };
}

/** One row per figure. The first column is Sonde's; the last lists the peers that are better. */
export function comparison(title: string, columns: ReadonlyMap<string, Measured>): string[] {
  const [[, sonde], ...peers] = [...columns] as [[string, Measured], ...[string, Measured][]];
  return (Object.keys(rows) as (keyof Measured)[]).map((key) => {
    const { what, write } = rows[key];
    const better = peers.filter(([, of]) => of[key] < sonde[key]).map(([name]) => name);
    const cells = [...columns.values()].map((of) => write(of[key]));
    return `| ${[title, what, ...cells, better.join(", ") || "no"].join(" | ")} |`;
  });
}
