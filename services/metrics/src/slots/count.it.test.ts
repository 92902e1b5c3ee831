import { create } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { phaseMs } from "@sonde/kit/time/slots";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { type MonitorTimeline, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { monitorDays } from "../days/monitor-days.ts";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { checkRollups, rollClosedHours } from "../rollups/roll.ts";
import { startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, randomOf, resultOf } from "../testing/results.ts";
import { countSlots } from "./count.ts";

// Berlin changes its clocks on March 29 (a day of 23 hours), Santiago on April 4 (25 hours); Kolkata is half an hour off.
// Each day is a partition, which makes inserts and reads slow. So there are only twelve days.
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const at = (text: string) => Date.parse(`2026-${text}Z`);
const nowMs = at("04-07T09:17:30");
const underwayMs = 30_000;
const keepsAll = { rawDays: 3_650, rollupDays: 3_650 };
const clock = fakeClock(nowMs);

type Span = { fromMs: number; untilMs: number; intervalMs: number; active: boolean; locations: string[] };
const span = (from: string, until: string, seconds: number, locations = ["default"]): Span => ({
  fromMs: at(from),
  untilMs: at(until),
  intervalMs: seconds * 1_000,
  active: seconds > 0,
  locations,
});
const end = "05-01T00:00";
const monitors: Record<number, Span[]> = {
  1: [span("03-26T00:00", end, 600)],
  2: [span("03-27T07:31", "03-30T10:00", 420), span("03-30T10:00", "04-01T01:45", 0), span("04-01T01:45", end, 420)],
  3: [span("03-26T00:00", "04-02T16:20:10", 900, ["a", "b"]), span("04-02T16:20:10", end, 660, ["a", "b"])],
};
const maintenance: Record<number, { fromMs: number; toMs: number }[]> = {
  1: [{ fromMs: at("04-05T02:50"), toMs: at("04-05T04:10:20") }],
  2: [],
  3: [
    { fromMs: at("03-28T23:30"), toMs: at("03-29T02:30") },
    { fromMs: at("04-02T15:00"), toMs: at("04-02T17:00") },
  ],
};
const gaps = [
  { fromMs: at("04-03T03:03"), toMs: at("04-03T18:57") },
  { fromMs: at("03-29T00:20"), toMs: at("03-29T01:40") },
];
const isIn = (spans: readonly { fromMs: number; toMs: number }[], slotMs: number) =>
  spans.some(({ fromMs, toMs }) => fromMs <= slotMs && slotMs < toMs);
const isCovered = (monitorId: number, slotMs: number) => isIn(maintenance[monitorId] ?? [], slotMs);

/** Every due slot, one by one: monitor, location and instant. */
function* dueSlots(monitorId: number): Generator<{ location: string; slotMs: number }> {
  for (const { fromMs, untilMs, intervalMs, active, locations } of monitors[monitorId] ?? []) {
    if (!active) continue;
    let slotMs = Math.floor(fromMs / intervalMs - 1) * intervalMs + phaseMs(monitorId, intervalMs);
    for (; slotMs < Math.min(untilMs, nowMs); slotMs += intervalMs) {
      if (slotMs >= fromMs) for (const location of locations) yield { location, slotMs };
    }
  }
}

const limitMs = 250;
const random = randomOf(5);
const results: CheckResult[] = [1, 2, 3].flatMap((monitorId) =>
  [...dueSlots(monitorId)].flatMap(({ location, slotMs }) => {
    if (isIn(gaps, slotMs) || random() < 0.01) return [];
    // More than 8 % away from the limit, so that histograms count the same checks.
    const responseTimeMs = random() < 0.8 ? 20 + random() * 200 : 300 + random() * 4_000;
    const fields = { monitorId, location, slotMs, responseTimeMs: Math.round(responseTimeMs * 10) / 10 };
    return [random() < 0.03 ? failureOf(fields) : resultOf(fields)];
  }),
);
// Other runs of the same slots began later and count instead; manual checks never count.
for (const { monitorId, location, slotMs } of results.filter((_, index) => index % 101 === 0)) {
  results.push(failureOf({ monitorId, location, slotMs, latenessMs: 700, responseTimeMs: 31 }));
  results.push(failureOf({ monitorId, location, slotMs: slotMs + 1, manual: true }));
}

// Each day is a partition, so batches of few days are inserted faster.
results.sort((left, right) => left.slotMs - right.slotMs);

/** The reference: the newest run of each scheduled slot outside maintenance. */
const rows = new Map<string, CheckResult>();
for (const result of results) {
  if (result.manual || isCovered(result.monitorId, result.slotMs)) continue;
  const key = `${result.monitorId} ${result.location} ${result.slotMs}`;
  const other = rows.get(key);
  if (other === undefined || other.latenessMs < result.latenessMs) rows.set(key, result);
}
function countAll(monitorId: number, edges: readonly number[]) {
  const steps = edges.slice(1).map(() => ({ expected: 0, seen: 0, up: 0, fast: 0 }));
  const stepAt = (slotMs: number) => steps[edges.findLastIndex((edge) => edge <= slotMs)];
  for (const { slotMs } of dueSlots(monitorId)) {
    const step = stepAt(slotMs);
    if (step !== undefined && slotMs < nowMs - underwayMs && !isCovered(monitorId, slotMs)) step.expected++;
  }
  for (const { slotMs, status, responseTimeMs, ...result } of rows.values()) {
    const step = result.monitorId === monitorId ? stepAt(slotMs) : undefined;
    if (step === undefined) continue;
    step.seen++;
    if (status === "up") step.up++;
    if (status === "up" && responseTimeMs <= limitMs) step.fast++;
  }
  // A check that is still under way may have its result already.
  return steps.map((step) => ({ ...step, expected: Math.max(step.expected, step.seen) }));
}

let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse(keepsAll);
  const timelines = new Map<number, MonitorTimeline>(
    Object.entries(monitors).map(([id, spans]) => [
      Number(id),
      create(MonitorTimelineSchema, { monitorId: Number(id), revision: 1, spans }),
    ]),
  );
  const spansOf = (_type: string, id: number) => maintenance[id] ?? [];
  ctx = { clock, retention: keepsAll, timelines, maintenance: { spansOf }, read: server.access.read };
});
afterAll(() => server.stop());

/** In few steps, because ClickHouse takes a second to delete the marks of each. */
const roll = (untilMs: number) =>
  rollClosedHours(server.clickhouse.writer, untilMs, { ...checkRollups, hoursAtOnce: 500 });

/** Delivers everything three times, in other batches, late and out of order, with rollups in between. */
async function deliver(): Promise<void> {
  const deliveries = [4_001, 1_237, 2_909].flatMap((size) =>
    Array.from({ length: Math.ceil(results.length / size) }, (_, index) => ({
      order: index * size + random() * results.length * 0.4,
      batch: results.slice(index * size, (index + 1) * size),
    })),
  );
  deliveries.sort((left, right) => left.order - right.order);
  for (const [index, { batch }] of deliveries.entries()) {
    const writer = createWriter({ clock, isDeleted: () => false, isInMaintenance: isCovered });
    await writer.write(server.clickhouse.writer, [readBatch(batchOf(batch), { nowMs, rawDays: 3_650 })]);
    if (index === 4) await roll(nowMs - 4 * dayMs);
  }
}

const midnights = (timeZone: string) =>
  Array.from(
    { length: 12 },
    (_, day) => Temporal.PlainDate.from("2026-03-27").add({ days: day }).toZonedDateTime(timeZone).epochMilliseconds,
  );
const odd = Array.from({ length: 40 }, () => at("03-27T00:00") + Math.floor(random() * 12 * dayMs));
const edgesOf: [name: string, edges: number[]][] = [
  ["days in Berlin", midnights("Europe/Berlin")],
  ["days in Santiago", midnights("America/Santiago")],
  ["days in Kolkata", midnights("Asia/Kolkata")],
  ["a month in Berlin until now", [at("03-06T23:00"), nowMs]],
  [
    "five-minute steps of the present hour",
    Array.from({ length: 13 }, (_, step) => nowMs - (12 - step) * 5 * minuteMs),
  ],
  ["instants within hours, in maintenance, gaps and pauses", [...new Set(odd)].sort((left, right) => left - right)],
];

async function expectExact(edges: readonly number[], moved = edges): Promise<void> {
  const found = await countSlots(ctx, { monitorIds: [3, 1, 2, 99], edges, fastMs: limitMs });
  expect(found.map(({ targetId }) => targetId)).toEqual([3, 1, 2]);
  for (const { targetId, expected, seen, up, fast = [] } of found) {
    const reference = countAll(targetId, moved);
    const exact = reference.map(({ fast: _fast, ...counts }) => counts);
    expect(seen.map((count, step) => ({ expected: expected[step], seen: count, up: up[step] }))).toEqual(exact);
    for (const [step, counts] of reference.entries()) {
      const [fromMs = 0, toMs = 0] = [moved[step], moved[step + 1]];
      // A histogram does not tell which of its checks were in maintenance.
      const isMixed = maintenance[targetId]?.some((window) => window.fromMs < toMs && fromMs < window.toMs + hourMs);
      expect(Math.abs((fast[step] ?? 0) - counts.fast)).toBeLessThanOrEqual(isMixed ? 2 : 0);
    }
  }
}

test("counts agree with a count of single rows to the slot, whatever is rolled up", async () => {
  expect.hasAssertions();
  await deliver();
  for (const [, edges] of edgesOf) await expectExact(edges);
  await roll(nowMs);
  for (const [, edges] of edgesOf) await expectExact(edges);
});

test("an edge within an hour whose checks have expired moves to the end of that hour", async () => {
  expect.hasAssertions();
  ctx = { ...ctx, retention: { ...keepsAll, rawDays: 2 } };
  const edges = midnights("Asia/Kolkata");
  await expectExact(
    edges,
    edges.map((edge) => (edge < nowMs - 2 * dayMs ? Math.ceil(edge / hourMs) * hourMs : edge)),
  );
  ctx = { ...ctx, retention: keepsAll };
});

test("UTC days equal those of monitorDays", async () => {
  const edges = midnights("UTC");
  const days = await monitorDays(ctx, {
    monitorIds: [1, 2, 3],
    firstDay: (edges[0] ?? 0) / dayMs,
    dayCount: edges.length - 1,
  });
  expect(await countSlots(ctx, { monitorIds: [1, 2, 3], edges })).toEqual(days);
});

test("edges out of order or before the retention, and too many steps, are rejected", async () => {
  const refused = { code: "invalid" };
  const ask = (edges: number[], monitorIds = [1, 2, 3]) => countSlots(ctx, { monitorIds, edges });
  await expect(ask([nowMs, nowMs - 1])).rejects.toMatchObject(refused);
  await expect(ask([nowMs, nowMs])).rejects.toMatchObject(refused);
  ctx = { ...ctx, retention: { rawDays: 30, rollupDays: 31 } };
  await expect(ask([nowMs - 33 * dayMs, nowMs])).rejects.toMatchObject(refused);
  expect(await ask([nowMs - 31 * dayMs, nowMs])).toHaveLength(3);
  ctx = { ...ctx, retention: keepsAll };
  expect(await ask([nowMs - 1, nowMs], [99])).toEqual([]);
});
