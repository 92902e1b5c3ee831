import type { CheckError } from "@sonde/proto/http/monitors/checks";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { factNames } from "@sonde/proto/http/monitors/pings";
import type { HeartbeatState } from "./state.ts";

type Earlier = HeartbeatState["facts"];
/** As in a ping, so other names are possible. */
type Reported = Readonly<Record<string, number>>;

/** Values per fact that count for the median. */
const maxValues = 20;
/** A median of fewer values says nothing. */
const minValues = 3;

/** Adds a success's facts, including those outside their limits: a lasting change becomes the new median. */
export function withFacts(earlier: Earlier, reported: Reported): Earlier {
  const names = factNames.filter((name) => reported[name] !== undefined);
  if (names.length === 0) return earlier;
  const added = names.map((name) => [name, [...(earlier?.[name] ?? []), reported[name]].slice(-maxValues)]);
  return { ...earlier, ...Object.fromEntries(added) } as Earlier;
}

/** Returns the first fact outside its limits. Facts that were not reported are not judged. */
export function breachOf(check: CheckOf<"heartbeat">, reported: Reported, earlier: Earlier): CheckError | undefined {
  for (const fact of factNames) {
    const { min, max, within } = check[fact] ?? {};
    const value = reported[fact];
    if (value === undefined) continue;
    const failed = (limits: string): CheckError => ({
      kind: "failed",
      message: `The run reported ${value} ${fact}, ${limits}`,
    });
    if (min !== undefined && value < min) return failed(`less than ${min}`);
    if (max !== undefined && value > max) return failed(`more than ${max}`);
    const values = earlier?.[fact] ?? [];
    if (within === undefined || values.length < minValues) continue;
    const median = medianOf(values);
    if (Math.abs(value - median) > (median * within) / 100) {
      return failed(`not within ${within}% of ${median}, the median of the last ${values.length}`);
    }
  }
  return undefined;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
