import type { HistoryRange } from "@sonde/proto/http/checks";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Beyond this a longer step shows no more. */
const longestMs = 400 * dayMs;

const shapes = {
  "24h": { spanMs: dayMs, stepMs: 5 * minuteMs },
  "30d": { spanMs: 30 * dayMs, stepMs: dayMs },
} as const satisfies Record<HistoryRange, { spanMs: number; stepMs: number }>;

/** The steps of a chart: `count` of them from `fromMs`, each `stepMs` long, the last one holding the present. */
export type Steps = { fromMs: number; stepMs: number; count: number };

/**
 * The steps of a range: 5 minutes of 24 hours, UTC days of 30 days. A step is a whole multiple of that and never
 * shorter than the interval, so that no step is empty only because nothing was due in it.
 */
export function stepsOf(range: HistoryRange, intervalMs: number, nowMs: number): Steps {
  const { spanMs, stepMs: base } = shapes[range];
  const intervals = Math.ceil(Math.min(intervalMs, longestMs) / base);
  const stepMs = base * (intervals >= 1 ? intervals : 1);
  const count = Math.max(1, Math.ceil(spanMs / stepMs));
  const lastMs = Math.floor(nowMs / stepMs) * stepMs;
  return { fromMs: lastMs - (count - 1) * stepMs, stepMs, count };
}
