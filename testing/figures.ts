import type { Arrivals } from "./recording-target/target.ts";

/** One row of a report: a figure and its goal. */
export interface Figure {
  goal: string;
  what: string;
  wanted: string;
  measured: string;
  held: boolean;
}

/** Percentile by nearest rank. Sorts the numbers in place. */
export function percentile(numbers: Float64Array, share: number): number {
  numbers.sort();
  return numbers[Math.max(0, Math.ceil(numbers.length * share) - 1)] ?? Number.NaN;
}

/** Arrival times of each monitor's requests, in order. */
export function byMonitor({ ids, timesMs }: Arrivals): Map<number, number[]> {
  const times = new Map<number, number[]>();
  ids.forEach((id, index) => {
    const known = times.get(id);
    if (known === undefined) times.set(id, [timesMs[index]!]);
    else known.push(timesMs[index]!);
  });
  return times;
}

/** Deviations from `intervalMs` of all intervals between requests of the same monitor, in milliseconds. */
export function intervalErrors(times: Iterable<number[]>, intervalMs: number): Float64Array {
  const errors: number[] = [];
  for (const instants of times) {
    for (let k = 1; k < instants.length; k++) errors.push(Math.abs(instants[k]! - instants[k - 1]! - intervalMs));
  }
  return Float64Array.from(errors);
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
export const percent = (value: number) => `${value.toFixed(1)} %`;

/** Renders the figures as a Markdown table. A figure without a goal has no verdict. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(
    ({ goal, what, wanted, measured, held }) =>
      `| ${goal} | ${what} | ${wanted} | ${measured} | ${wanted === "–" ? "–" : held ? "yes" : "no"} |`,
  );
  return ["| # | what | goal | measured | held |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}
