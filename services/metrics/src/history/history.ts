import type { MessageInitShape } from "@bufbuild/protobuf";
import { overlaps } from "@sonde/kit/maintenance/spans";
import type { HistoryBucketSchema } from "@sonde/proto/gen/metrics/v1/metrics";
import type { HistoryRange } from "@sonde/proto/http/checks";
import type { Context } from "../context.ts";
import { percentileMs } from "../rollups/histogram.ts";
import { hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/marks.ts";
import { type Figures, mergeFigures } from "../rollups/merge.ts";
import { expectedSlots } from "../timelines/coverage.ts";
import { stepsOf } from "./steps.ts";
import { type ExactStep, selectExactSteps, selectFigures } from "./store.ts";

type Bucket = MessageInitShape<typeof HistoryBucketSchema>;

/** A check may take this long, re-check and all, before its slot counts as one that nobody saw. */
export const underwayMs = 30_000;

export type HistoryInput = { monitorId: number; range: HistoryRange };
export type History = { stepMs: number; buckets: Bucket[] };

/**
 * A monitor's scheduled checks step by step, every step of the range present, none shorter than the present interval.
 * Percentiles are exact over 24 hours and
 * read from 8 % histograms over 30 days; the average covers all checks, failed ones too. Those in maintenance are in none
 * of the figures, and the steps that such a window touches say so.
 * @throws AppError `unavailable` while ClickHouse is away
 */
export async function monitorHistory(ctx: Context, { monitorId, range }: HistoryInput): Promise<History> {
  const nowMs = ctx.clock.now();
  const timeline = ctx.timelines.get(monitorId);
  const { fromMs, stepMs, count } = stepsOf(range, timeline?.spans.at(-1)?.intervalMs ?? 0, nowMs);
  const toMs = fromMs + count * stepMs;
  const found = await ctx.read(async (client) => {
    if (range === "24h") {
      const steps = await selectExactSteps(client, { monitorId, fromMs, toMs, stepMs });
      return new Map(steps.map((exact) => [exact.step, bucketOfExact(exact)]));
    }
    const rawHours = [...new Set([...(await selectTouchedHours(client, fromMs)), hourOf(nowMs)])];
    const pieces = await selectFigures(client, { monitorId, fromMs, toMs, rawHours });
    const steps = Map.groupBy(pieces, ({ atMs }) => Math.floor((atMs - fromMs) / stepMs));
    return new Map([...steps].map(([step, parts]) => [step, bucketOf(mergeFigures(parts as [Figures, ...Figures[]]))]));
  });
  const windows = ctx.maintenance.spansOf("monitor", monitorId);
  const buckets = Array.from({ length: count }, (_, step) => {
    const startMs = fromMs + step * stepMs;
    const bucket = found.get(step);
    const dueBeforeMs = Math.min(startMs + stepMs, nowMs - underwayMs);
    const expected = timeline ? expectedSlots(timeline, windows, startMs, dueBeforeMs) : 0;
    const inMaintenance = overlaps(windows, startMs, Math.min(startMs + stepMs, nowMs));
    // A slot that was seen was due: the first one of a new definition lies just before its span.
    return { ...bucket, startMs, inMaintenance, expected: Math.max(expected, bucket?.checks ?? 0) };
  });
  return { stepMs, buckets };
}

function bucketOfExact({ checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error }: ExactStep): Bucket {
  return { checks, up, avgMs, p50Ms, p95Ms, maxMs, lastCheckedAtMs, error: error || undefined };
}

function bucketOf(figures: Figures): Bucket {
  const { seen, up, sum, max, lastCheckedAtMs, lastError } = figures;
  return {
    checks: seen,
    up,
    avgMs: sum / seen / 10,
    p50Ms: percentileMs(figures, 0.5),
    p95Ms: percentileMs(figures, 0.95),
    maxMs: max / 10,
    lastCheckedAtMs,
    error: lastError || undefined,
  };
}
