import { dayMs, type Span } from "./spans.ts";

/** Converts local times of a zone in a period. A local time is written as the epoch milliseconds it would have in UTC. */
export type WallClock = {
  period: Span;
  localAt: (ms: number) => number;
  /** Never decreases. A time that the clocks skip is the instant after the gap, a repeated one the first. */
  instantOf: (localMs: number) => number;
};

/** Reads the offsets of the period once: a conversion by Temporal for each shift would be 100 times slower. */
export function wallClock(timeZone: string, period: Span): WallClock {
  const offsets: (Span & { offsetMs: number })[] = [];
  // Two days before, since a local time that repeats first occurred earlier.
  let at = Temporal.Instant.fromEpochMilliseconds(Math.floor(period.startMs) - 2 * dayMs).toZonedDateTimeISO(timeZone);
  let startMs = -Infinity;
  while (startMs < period.endMs) {
    const next = at.getTimeZoneTransition("next");
    const endMs = next?.epochMilliseconds ?? Infinity;
    offsets.push({ startMs, endMs, offsetMs: at.offsetNanoseconds / 1e6 });
    if (next === null) break;
    at = next;
    startMs = endMs;
  }
  offsets.at(-1)!.endMs = Infinity;
  return {
    period,
    localAt: (ms) => ms + offsets.find(({ endMs }) => ms < endMs)!.offsetMs,
    instantOf: (localMs) => {
      const offset = offsets.find(({ endMs, offsetMs }) => localMs - offsetMs < endMs)!;
      return Math.max(localMs - offset.offsetMs, offset.startMs);
    },
  };
}
