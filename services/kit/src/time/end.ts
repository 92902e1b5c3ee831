import { fewestMinutes, hasOneEnd, noOneEnd } from "@sonde/proto/http/ends";
import { invalid } from "../errors.ts";

const minuteMs = 60_000;
/** A request takes time, and clocks differ by seconds. */
const toleranceMs = 30_000;

/**
 * When something that begins now ends, whole epoch milliseconds.
 * @param most how many minutes it may last
 * @throws AppError invalid at `until`: neither or both are given, or it is too near or too far
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
