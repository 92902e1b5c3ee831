import type { ClickHouseClient } from "@clickhouse/client";
import { overlapsSpans } from "@sonde/domain/maintenance/spans";
import type { MonitorTimeline, TimelineSpan } from "@sonde/proto/gen/monitors/v1/definitions";
import type { HistoryChange } from "@sonde/proto/http/monitors/checks";
import type { Context } from "../context.ts";
import { dayMs, hourOf } from "../rollups/instants.ts";
import { selectTouchedHours } from "../rollups/roll.ts";
import { dueBetween, expectedWith } from "../timelines/coverage.ts";
import { selectUnseen } from "../timelines/unseen.ts";
import { exactFigures, mergedFigures, type CheckFigures } from "./figures.ts";
import { cutDays, type Periods, periodsOf, stepIndexAt, type StepsInput } from "./periods.ts";
import { type ExactPiece, selectExact, selectFigures } from "./store.ts";

/** A step, possibly without checks. `expected`: slots due over all locations. */
export type StepFigures = Partial<CheckFigures> & { startMs: number; expected: number; inMaintenance: boolean };
export type PeriodFigures = Partial<Pick<CheckFigures, "checks" | "avgMs">> & {
  /** Percentiles cover successful checks only. */
  p50Ms?: number;
  p95Ms?: number;
  fromMs: number;
  untilMs: number;
  expected: number;
  failures?: number;
};

/** Maximum duration of a check with its re-check; until then its slot does not count as missed. */
export const underwayMs = 30_000;

export type HistoryInput = StepsInput & { monitorId: number };
export type CheckHistory = {
  stepMs: number;
  buckets: StepFigures[];
  summary: PeriodFigures;
  previous?: PeriodFigures;
  changes: HistoryChange[];
};

/**
 * Steps cover the whole range, none shorter than the current interval. Percentiles are exact for up to a day, and read
 * from 8 % histograms for longer ranges. A step's figures cover all checks, a period's percentiles only successful
 * ones. Checks in maintenance count only for times.
 * @throws AppError `unavailable` while ClickHouse is unavailable
 * @throws RangeError for an unknown time zone
 */
export async function monitorHistory(ctx: Context, { monitorId, ...request }: HistoryInput): Promise<CheckHistory> {
  const nowMs = ctx.clock.now();
  const timeline = ctx.timelines.get(monitorId);
  const rawFromMs = nowMs - ctx.retention.rawDays * dayMs;
  const periods = periodsOf(request, timeline?.spans.at(-1)?.intervalMs ?? 0, nowMs, rawFromMs);
  const { stepMs, starts, bounds, untilMs, previousMs, isExact } = periods;
  const read = isExact ? readExact : readFigures;
  const dueInRows = timeline?.dueInRows ? [monitorId] : [];
  const [found, unseen] = await ctx.read((client) =>
    Promise.all([read(client, { monitorId, periods, nowMs }), selectUnseen(client, dueInRows, previousMs)]),
  );
  const windows = ctx.maintenance.spansOf("monitor", monitorId);
  const settledMs = nowMs - underwayMs;
  const edges = [previousMs, ...bounds].map((edge) => Math.max(previousMs, Math.min(edge, settledMs)));
  const known = timeline ?? { monitorId, spans: [], dueInRows: false };
  const [dueBefore = 0, ...due] = dueBetween(known, windows, edges, undefined, unseen.get(monitorId)).expected;
  const buckets = starts.map((startMs, step): StepFigures => {
    const bucket = found.steps.get(step);
    const [fromMs = startMs, toMs = startMs] = [bounds[step], bounds[step + 1]];
    const inMaintenance = overlapsSpans(windows, fromMs, Math.min(toMs, nowMs));
    return { ...bucket, startMs, inMaintenance, expected: expectedWith(known, due[step] ?? 0, bucket?.checks ?? 0) };
  });
  const fromMs = starts[0] ?? nowMs;
  const expected = buckets.reduce((sum, bucket) => sum + bucket.expected, 0);
  const summary = summaryOf(found.present, { fromMs, untilMs, expected });
  const changes = historyChanges(timeline, fromMs, untilMs);
  const retainedDays = ctx.retention[isExact ? "rawDays" : "rollupDays"];
  const isRetained = previousMs >= nowMs - retainedDays * dayMs;
  const existedBefore = found.before !== undefined || (timeline?.spans[0]?.fromMs ?? fromMs) < fromMs;
  if (!isRetained || !existedBefore) return { stepMs, buckets, summary, changes };
  const previous = {
    fromMs: previousMs,
    untilMs: fromMs,
    expected: expectedWith(known, dueBefore, found.before?.checks ?? 0),
  };
  return { stepMs, buckets, summary, previous: summaryOf(found.before, previous), changes };
}

const places = ({ locations }: TimelineSpan) => locations.toSorted().join();

export function historyChanges(
  timeline: MonitorTimeline | undefined,
  fromMs: number,
  untilMs: number,
): HistoryChange[] {
  const spans = timeline?.spans ?? [];
  return spans.flatMap((span, index): HistoryChange[] => {
    if (span.fromMs < fromMs || span.fromMs >= untilMs) return [];
    const at = new Date(span.fromMs).toISOString();
    const before = spans[index - 1];
    if (before === undefined) return [{ at, kinds: ["created"] }];
    const kinds: HistoryChange["kinds"] = [];
    if (before.active !== span.active) kinds.push(span.active ? "resumed" : "paused");
    if (before.intervalMs !== span.intervalMs) kinds.push("interval");
    if (places(before) !== places(span)) kinds.push("locations");
    return kinds.length === 0 ? [] : [{ at, kinds }];
  });
}

function summaryOf(
  figures: CheckFigures | undefined,
  period: { fromMs: number; untilMs: number; expected: number },
): PeriodFigures {
  if (figures === undefined) return period;
  const { checks, up, avgMs, good } = figures;
  return { ...period, checks, failures: checks - up, avgMs, ...good };
}

type StepResults = { steps: ReadonlyMap<number, CheckFigures>; present?: CheckFigures; before?: CheckFigures };
type HistoryQuery = { monitorId: number; periods: Periods; nowMs: number };

async function readExact(client: ClickHouseClient, { monitorId, periods }: HistoryQuery): Promise<StepResults> {
  const { bounds, previousMs, starts } = periods;
  const [fromMs = 0, toMs = 0] = [bounds[0], bounds.at(-1)];
  const stepMs = (toMs - fromMs) / starts.length;
  const pieces = await selectExact(client, { monitorId, previousMs, fromMs, toMs, stepMs });
  const of = (wanted: ExactPiece["piece"]) => pieces.filter(({ piece }) => piece === wanted);
  return {
    steps: new Map(of("step").map((exact) => [exact.step, exactFigures(exact)])),
    present: of("steps").map(exactFigures)[0],
    before: of("before").map(exactFigures)[0],
  };
}

/** Reads figures of days and hours; hours that are not rolled up yet are computed from checks. */
async function readFigures(
  client: ClickHouseClient,
  { monitorId, periods, nowMs }: HistoryQuery,
): Promise<StepResults> {
  const { bounds, previousMs } = periods;
  const toMs = bounds.at(-1) ?? nowMs;
  const rawHours = [...new Set([...(await selectTouchedHours(client, previousMs)), hourOf(nowMs)])];
  const hourDays = cutDays([previousMs, ...bounds]);
  const pieces = await selectFigures(client, { monitorId, fromMs: previousMs, toMs, rawHours, hourDays });
  const { before, present } = Object.groupBy(pieces, ({ atMs }) => (atMs < (bounds[0] ?? 0) ? "before" : "present"));
  const steps = Map.groupBy(present ?? [], ({ atMs }) => stepIndexAt(bounds, atMs));
  return {
    steps: new Map(
      [...steps].flatMap(([step, parts]): [number, CheckFigures][] => {
        const figures = mergedFigures(parts);
        return figures ? [[step, figures]] : [];
      }),
    ),
    present: mergedFigures(present ?? []),
    before: mergedFigures(before ?? []),
  };
}
