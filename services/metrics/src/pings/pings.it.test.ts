import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { PingBatchSchema } from "@sonde/proto/gen/pings/v1/pings";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { monitorDays } from "../days/monitor-days.ts";
import { monitorHistory } from "../history/history.ts";
import { monitorRecentChecks } from "../recent-checks.ts";
import { dayMs, dayOf, hourMs } from "../rollups/instants.ts";
import { deleteRowsOf } from "../timelines/deletion.ts";
import { rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { deleteOutputs, listPings, readPings, writePings } from "./store.ts";

const nowMs = Math.floor(Date.now() / hourMs) * hourMs + 30 * 60_000;
const clock = fakeClock(nowMs);
const times = { nowMs, rawDays: 30 };
const minuteMs = 60_000;
let server: TestClickHouse;
beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());

type Sent = MessageInitShape<typeof PingBatchSchema>["pings"];
const messageOf = (pings: Sent, atMs: number) =>
  readPings(toBinary(PingBatchSchema, create(PingBatchSchema, { pings })), atMs, times);
const keeping = { isDeleted: (id: number) => id === 99, keepsOutput: (id: number) => id !== 98 };
const read = <Result>(query: (client: typeof server.clickhouse.reader) => Promise<Result>) =>
  query(server.clickhouse.reader);
const list = (monitorId: number, beforeMs?: number, limit = 50) =>
  listPings({ clock, read }, { monitorId, beforeMs, limit });
const at = (ms: number) => new Date(ms).toISOString();

test("a run's duration is measured from its own start, despite concurrent runs; duplicates are merged", async () => {
  const base = { monitorId: 1, from: "192.0.2.1" };
  const sentPings: [number, NonNullable<Sent>[number]][] = [
    [10, { ...base, id: "a", type: "start", runId: "one" }],
    [11, { ...base, id: "b", type: "start", runId: "two" }],
    [12, { ...base, id: "c", type: "log", runId: "one", output: "half" }],
    [14, { ...base, id: "d", type: "fail", runId: "two", exitCode: 3, output: "line\nnext" }],
    [15, { ...base, id: "e", type: "success", runId: "one" }],
    [15, { ...base, id: "e", type: "success", runId: "one" }],
    [16, { ...base, id: "e", type: "success", runId: "one" }],
    [17, { ...base, id: "f", type: "success", runId: "one" }],
    [18, { ...base, id: "g", type: "success", exitCode: 0, durationMs: 12.5 }],
  ];
  const messages = sentPings.map(([minute, ping]) => messageOf([ping], nowMs - hourMs + minute * minuteMs));
  expect(await writePings(server.clickhouse.writer, messages, keeping)).toBe(9);
  const pings = await list(1);
  expect(pings.map(({ type, runId, durationMs }) => [type, runId, durationMs])).toEqual([
    ["success", undefined, 12.5],
    ["success", "one", undefined],
    ["success", "one", 5 * minuteMs],
    ["fail", "two", 3 * minuteMs],
    ["log", "one", undefined],
    ["start", "two", undefined],
    ["start", "one", undefined],
  ]);
  expect(pings[3]).toEqual({
    at: at(nowMs - hourMs + 14 * minuteMs),
    type: "fail",
    exitCode: 3,
    runId: "two",
    durationMs: 3 * minuteMs,
    from: "192.0.2.1",
    output: "line\nnext",
  });
  const page = await list(1, nowMs - hourMs + 14 * minuteMs, 2);
  expect(page.map(({ type }) => type)).toEqual(["log", "start"]);
});

test("facts are stored, and listed alone without output", async () => {
  const base = { monitorId: 5, from: "::1" };
  const sentPings: NonNullable<Sent> = [
    { ...base, id: "a", type: "success", facts: { rows: 120, bytes: 0.5, colour: 1 }, output: "rows=120" },
    { ...base, id: "b", type: "success", output: "nothing to do" },
    { ...base, id: "c", type: "fail", facts: { ms: 7 } },
  ];
  const messages = sentPings.map((ping, minute) => messageOf([ping], nowMs - hourMs + minute * minuteMs));
  await writePings(server.clickhouse.writer, messages, keeping);
  expect((await list(5)).map(({ facts }) => facts)).toEqual([{ ms: 7 }, undefined, { rows: 120, bytes: 0.5 }]);
  const only = await listPings({ clock, read }, { monitorId: 5, limit: 50, only: "facts" });
  expect(only.map(({ facts, output }) => [facts, output])).toEqual([
    [{ ms: 7 }, undefined],
    [{ rows: 120, bytes: 0.5 }, undefined],
  ]);
});

test("pings of deleted heartbeats and unwanted output are not stored", async () => {
  const message = messageOf(
    [98, 99].map((monitorId) => ({ monitorId, id: "x", type: "fail", from: "::1", output: "secret" })),
    nowMs,
  );
  expect(await writePings(server.clickhouse.writer, [message], keeping)).toBe(1);
  expect((await list(98, nowMs + 1)).map(({ output }) => output)).toEqual([undefined]);
  expect(await list(99, nowMs + 1)).toEqual([]);
  await deleteOutputs(server.clickhouse.writer, [1]);
  expect((await list(1)).flatMap(({ output }) => output ?? [])).toEqual([]);
  await deleteRowsOf("monitors")(server.clickhouse.writer, [98]);
  expect(await list(98, nowMs + 1)).toEqual([]);
});

test("a gateway's mark is not a row, and invalid messages are dead-lettered", () => {
  const mark = readPings(toBinary(PingBatchSchema, create(PingBatchSchema, { present: "g" })), nowMs, times);
  expect([mark.rows, mark.problem]).toEqual([0, null]);
  const faulty = { monitorId: 1, id: "a", from: "" };
  expect(messageOf([{ ...faulty, type: "stop" }], nowMs).problem).toBe("ping 0: unknown type");
  expect(messageOf([{ ...faulty, type: "fail", exitCode: 256 }], nowMs).problem).toBe("ping 0: invalid exit code");
  expect(readPings(Buffer.from("no"), nowMs, times).problem).toBe("not a batch of pings");
});

test("a heartbeat's coverage counts stored rows outside maintenance", async () => {
  const monitorId = 7;
  const location = "@heartbeats";
  const writer = createWriter({ clock, isDeleted: () => false });
  const due = (minutes: number) => nowMs - minutes * minuteMs;
  const of = (status: "up" | "down" | "unseen", minutes: number) =>
    status === "down"
      ? failureOf({ monitorId, location, slotMs: due(minutes) })
      : resultOf({ monitorId, location, slotMs: due(minutes), status });
  const results = [of("up", 50), of("unseen", 40), of("unseen", 40), of("down", 20), of("unseen", 10)];
  const batch = readBatch(batchOf(results), times);
  expect([batch.problem, batch.results.length]).toEqual([null, 5]);
  await writer.write(server.clickhouse.writer, [batch]);
  expect(await rowsOf(server.clickhouse, `SELECT count() AS n FROM checks WHERE monitor_id = 7`)).toEqual([{ n: 2 }]);
  const span = { fromMs: nowMs - dayMs, intervalMs: 20 * minuteMs, locations: [location], active: true };
  const timeline = create(MonitorTimelineSchema, { monitorId, dueInRows: true, spans: [span] });
  const windows = [{ fromMs: due(12), toMs: due(5) }];
  const context = {
    clock,
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: () => timeline },
    maintenance: { spansOf: () => windows },
    read,
  };
  const { summary } = await monitorHistory(context, { monitorId, range: "1h", timeZone: "UTC" });
  expect([summary.expected, summary.checks, summary.failures]).toEqual([3, 2, 1]);
  const [days] = await monitorDays(context, {
    monitorIds: [monitorId],
    firstDay: dayOf(nowMs) / dayMs - 1,
    dayCount: 2,
  });
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  expect([sum(days!.expected), sum(days!.seen), sum(days!.up)]).toEqual([3, 2, 1]);
  const [recent] = await monitorRecentChecks(context, [monitorId]);
  expect(recent!.recentChecks.map(({ status, inMaintenance }) => [status, inMaintenance])).toEqual([
    ["up", undefined],
    ["none", undefined],
    ["down", undefined],
    ["none", true],
  ]);
});
