import { byMonitor, intervalErrors, ms, percentile } from "@sonde/testing/figures";
import type { Load, Observation, Spent } from "./system.ts";

/** What a column of the table holds: all figures are better where they are less. */
export type Measured = Record<keyof typeof rows, number | undefined>;

const bytes = (unit: string, size: number) => (value: number) =>
  `${(value / size).toFixed(size > 1024 ? 0 : 2)} ${unit}`;
const counted = (value: number) => String(value);
const rows = {
  cpu: { what: "CPU a check", write: ms },
  ratio: { what: "the same, × a bare `http.request`", write: (value: number) => `${value.toFixed(1)} ×` },
  memory: { what: "memory (PSS, most)", write: bytes("MiB", 2 ** 20) },
  p50: { what: "error of the interval, p50", write: ms },
  p99: { what: "the same, p99", write: ms },
  max: { what: "the same, max", write: ms },
  missed: { what: "slots missed", write: counted },
  written: { what: "written to disk a check", write: bytes("KiB", 1024) },
};

/** The figures of one column: what its processes used, and what the target saw meanwhile. */
export function measure(
  spent: Spent,
  { arrivals, passedMs }: Pick<Observation, "arrivals" | "passedMs">,
  load: Load,
  bareMs: number,
): Measured {
  const intervalMs = load.intervalSeconds * 1000;
  const times = byMonitor(arrivals);
  const checks = arrivals.ids.length;
  const errors = intervalErrors(times.values(), intervalMs);
  const wanted = Math.floor(passedMs / intervalMs);
  let missed = (load.count - times.size) * wanted;
  for (const instants of times.values()) missed += Math.max(0, wanted - instants.length);
  return {
    cpu: spent.cpuMs / checks,
    ratio: spent.cpuMs / checks / bareMs,
    memory: spent.mostMemoryBytes,
    p50: percentile(errors, 0.5),
    p99: percentile(errors, 0.99),
    max: percentile(errors, 1),
    missed,
    written: spent.writtenBytes === undefined ? undefined : spent.writtenBytes / checks,
  };
}

/**
 * One row a figure, one column a system; the last says which columns of Sonde the peer, whose column is the last of the
 * systems, is better than.
 */
export const comparison = (title: string, columns: ReadonlyMap<string, Measured>): string[] =>
  tableRows(title, columns, [...columns.keys()], (key) => {
    const peer = [...columns.values()].at(-1)!;
    const others = [...columns].slice(0, -1).filter(([, of]) => of[key] !== undefined);
    return better(
      others.filter(([, of]) => isLess(peer[key], of[key])).map(([name]) => name),
      others.length,
      "than ",
    );
  });

/** The same where Sonde has the first column: the last says which peers are better. `names`: of all columns. */
export const besidePeers = (
  title: string,
  columns: ReadonlyMap<string, Measured>,
  names: readonly string[],
): string[] =>
  tableRows(title, columns, names, (key) => {
    const [[, sonde], ...peers] = [...columns] as [[string, Measured], ...[string, Measured][]];
    return better(
      peers.filter(([, of]) => isLess(of[key], sonde[key])).map(([name]) => name),
      peers.length,
    );
  });

const better = (those: readonly string[], all: number, before = "") =>
  those.length === 0 ? "no" : those.length === all ? "yes" : before + those.join(", ");

function tableRows(
  title: string,
  columns: ReadonlyMap<string, Measured>,
  names: readonly string[],
  verdict: (key: keyof Measured) => string,
): string[] {
  return (Object.keys(rows) as (keyof Measured)[]).map((key) => {
    const { what, write } = rows[key];
    const cells = names.map((name) => {
      const value = columns.get(name)?.[key];
      return value === undefined ? "–" : write(value);
    });
    return `| ${[title, what, ...cells, verdict(key)].join(" | ")} |`;
  });
}

function isLess(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one < other;
}
