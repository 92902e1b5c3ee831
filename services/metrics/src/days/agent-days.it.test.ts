import { fakeClock } from "@sonde/kit/time/clock";
import type { AgentSample } from "@sonde/proto/gen/agents/v1/samples";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { rollClosedHours } from "../rollups/roll.ts";
import { readSamples } from "../samples/row.ts";
import { sampleRollups, createSampleWriter } from "../samples/store.ts";
import { noMaintenance, retention, rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";
import { agentDays } from "./agent-days.ts";

const minuteMs = 60_000;
const nowMs = dayOf(Date.now()) - dayMs + 10 * hourMs + 17.5 * minuteMs;
const midnightMs = dayOf(nowMs);
const clock = fakeClock(nowMs);
let server: TestClickHouse;
let ctx: Context;

beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["samples", "sample_hours", "touched_sample_hours"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
  ctx = {
    clock,
    retention,
    timelines: { get: () => undefined },
    maintenance: noMaintenance,
    read: server.access.read,
  };
});

async function store(samples: readonly AgentSample[]): Promise<void> {
  const writer = createSampleWriter({ clock, isDeleted: () => false });
  for (let first = 0; first < samples.length; first += 2_000) {
    const batch = readSamples(sampleBatchOf(samples.slice(first, first + 2_000)), { nowMs, rawDays: 31 });
    await writer.write(server.clickhouse.writer, [batch]);
  }
}
const roll = () => rollClosedHours(server.clickhouse.writer, nowMs, sampleRollups);

/** One sample every 30 seconds in these minutes, counted from today's midnight. */
const samplesOf = (agentId: number, fromMinute: number, toMinute: number) =>
  Array.from({ length: 2 * (toMinute - fromMinute) }, (_, index) =>
    sampleOf({
      agentId,
      atMs: midnightMs + fromMinute * minuteMs + index * 30_000 + 500,
      bootId: "boot",
      sequence: 2 * fromMinute + index + 10_000,
    }),
  );
const question = (agentId: number, fields: Partial<{ createdAtMs: number; intervalMs: number }> = {}) => ({
  agentId,
  intervalMs: 30_000,
  createdAtMs: midnightMs - 5 * dayMs,
  offline: [] as { $typeName: "sonde.metrics.v1.TimeSpan"; fromMs: number; toMs: number }[],
  ...fields,
});
const span = (fromMinute: number, toMinute: number) => ({
  $typeName: "sonde.metrics.v1.TimeSpan" as const,
  fromMs: midnightMs + fromMinute * minuteMs,
  toMs: midnightMs + toMinute * minuteMs,
});
const ask = (agents: ReturnType<typeof question>[], dayCount = 2) =>
  agentDays(ctx, { agents, firstDay: midnightMs / dayMs - dayCount + 1, dayCount });

test("minutes with samples are up, those of an offline incident down, gaps unknown; late samples count", async () => {
  // From yesterday 12:00, with a 10-minute gap at midnight; offline from 3:00 to 5:00.
  await store([...samplesOf(1, -720, -5), ...samplesOf(1, 5, 178)]);
  await roll();
  const offline = [span(180, 300)];
  const [before] = await ask([{ ...question(1), offline }]);
  expect(before).toMatchObject({
    targetId: 1,
    // The current minute and one that may still be under way are not expected.
    expected: [1440, 617],
    up: [715, 173],
    seen: [715, 173 + 120],
    monitoredMinutes: [1440, 617],
    pausedMinutes: [0, 0],
  });
  // Spooled samples of 4:00 to 5:00 arrive late, in hours that are already rolled up.
  await store([...samplesOf(1, 240, 617), ...samplesOf(2, 600, 617)]);
  const late = await ask([{ ...question(1), offline }, question(2, { createdAtMs: midnightMs + 599.5 * minuteMs })]);
  expect(late[0]).toMatchObject({ up: [715, 173 + 377], seen: [715, 173 + 60 + 377] });
  expect(late[1]).toMatchObject({ targetId: 2, expected: [0, 17], up: [0, 17], monitoredMinutes: [0, 17] });
  await roll();
  expect(
    await rowsOf(server.clickhouse, "SELECT count() AS n FROM touched_sample_hours WHERE hour < now() - 1e6"),
  ).toEqual([{ n: 0 }]);
  expect(await ask([{ ...question(1), offline }, question(2, { createdAtMs: midnightMs + 599.5 * minuteMs })])).toEqual(
    late,
  );
});

test("maintenance counts in no figure, even with samples", async () => {
  await store(samplesOf(3, 0, 617));
  const windows = [{ fromMs: midnightMs - hourMs, toMs: midnightMs + 2 * hourMs }];
  ctx = { ...ctx, maintenance: { spansOf: (type, id) => (type === "agent" && id === 3 ? windows : []) } };
  const [days, other] = await ask([question(3), question(4)]);
  expect(days).toMatchObject({
    expected: [1380, 497],
    up: [0, 497],
    seen: [0, 497],
    maintenanceMinutes: [60, 120],
    monitoredMinutes: [1440, 617],
  });
  expect(other).toMatchObject({ expected: [1440, 617], seen: [0, 0], maintenanceMinutes: [0, 0] });
});

test("an agent that reports every five minutes is up between reports, also across midnight", async () => {
  const samples = Array.from({ length: 40 }, (_, index) =>
    sampleOf({ agentId: 5, atMs: midnightMs - 22 * minuteMs + index * 5 * minuteMs, bootId: "b", sequence: index }),
  );
  await store(samples);
  // The last report, at 2:53, covers minutes up to 2:59.
  const [days] = await ask([question(5, { intervalMs: 300_000 })]);
  expect(days).toMatchObject({ up: [22, 180], seen: [22, 180] });
  const [present] = await ask([question(5, { intervalMs: 300_000 })], 1);
  expect(present).toMatchObject({ up: [180] });
});

test("an agent without samples is still expected, and more than 500 agents are rejected", async () => {
  expect((await ask([question(6)]))[0]).toMatchObject({ expected: [1440, 617], seen: [0, 0], up: [0, 0] });
  expect(await ask([])).toEqual([]);
  const many = Array.from({ length: 501 }, (_, index) => question(index + 1));
  await expect(ask(many)).rejects.toMatchObject({ code: "invalid" });
});

test("hundreds of agents each get their own minutes", async () => {
  const ids = Array.from({ length: 60 }, (_, index) => index + 10);
  await store(ids.flatMap((id) => samplesOf(id, id, 2 * id)));
  await roll();
  const answer = await ask(
    ids.map((id) => question(id)),
    90,
  );
  expect(answer.map(({ targetId }) => targetId)).toEqual(ids);
  expect(answer.map(({ up }) => up?.at(-1))).toEqual(ids);
});
