import { fewestMinutes, hasOneEnd, noOneEnd } from "@sonde/proto/http/ends";
import { invalid } from "../errors.ts";

const minuteMs = 60_000;
/** Requests take time, and clocks differ by seconds. */
const toleranceMs = 30_000;

/**
 * @returns whole epoch milliseconds
 * @param max maximum duration in minutes
 * @throws AppError invalid at `until` if neither or both are set, or if the end is too near or too far
 */
export function readEnd(
  { until, minutes }: { until?: string | undefined; minutes?: number | undefined },
  nowMs: number,
  max: number,
): number {
  if (!hasOneEnd({ until, minutes })) throw invalid([{ path: "until", message: noOneEnd.message }]);
  const endMs = until === undefined ? Math.round(nowMs) + (minutes ?? 0) * minuteMs : Date.parse(until);
  const afterMs = endMs - nowMs;
  if (afterMs < fewestMinutes * minuteMs - toleranceMs || afterMs > max * minuteMs + toleranceMs) {
    const params = { min: fewestMinutes, max: max };
    throw invalid([{ path: "until", message: "The end must be {min} to {max} minutes from now", params }]);
  }
  return endMs;
}
