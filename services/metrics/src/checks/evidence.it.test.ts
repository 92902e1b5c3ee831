import { create, toBinary } from "@bufbuild/protobuf";
import { fakeClock } from "@sonde/kit/time/clock";
import { ResultBatchSchema } from "@sonde/proto/gen/checks/v1/checks";
import type { StoredEvidence } from "@sonde/proto/http/incidents/evidence";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readBatch } from "../ingest/batch.ts";
import { createWriter } from "../ingest/write.ts";
import { dayMs } from "../rollups/instants.ts";
import { rowsOf, startClickHouse, type TestClickHouse } from "../testing/clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { deleteBodies, incidentEvidence } from "./evidence.ts";
import { incidentPaths } from "./paths.ts";

const minuteMs = 60_000;
const nowMs = Date.now();
const clock = fakeClock(nowMs);
let server: TestClickHouse;
beforeAll(async () => {
  server = await startClickHouse();
});
afterAll(() => server.stop());
beforeEach(async () => {
  for (const table of ["checks", "evidence", "paths"]) {
    await server.clickhouse.writer.command({ query: `TRUNCATE TABLE ${table}` });
  }
});

type Failure = { monitorId?: number; atMs: number; location?: string; evidence?: string; status?: string };
const failed = ({ atMs, monitorId = 1, ...fields }: Failure, found: StoredEvidence = { expected: String(atMs) }) =>
  failureOf({ monitorId, slotMs: atMs, startedAtMs: atMs, latenessMs: 0, evidence: JSON.stringify(found), ...fields });
async function store(
  results: ReturnType<typeof failed>[],
  isDeleted = (_id: number) => false,
  keepsBody = (_id: number) => true,
) {
  const writer = createWriter({ clock, isDeleted, keepsBody });
  const stored = await writer.write(server.clickhouse.writer, [readBatch(batchOf(results), { nowMs, rawDays: 31 })]);
  expect(stored).toBe(results.filter(({ monitorId }) => !isDeleted(monitorId)).length);
}
const ofIncident = (openedAtMs: number, closedAtMs?: number, monitorId = 1) =>
  incidentEvidence({ clock, read: server.access.read }, { monitorId, openedAtMs, closedAtMs });
const count = async () => rowsOf<{ n: number }>(server.clickhouse, "SELECT toInt32(count()) AS n FROM evidence FINAL");

test("an incident has the complete evidence closest to its opening and, while open, the newest", async () => {
  const openedAtMs = nowMs - 60 * minuteMs;
  const found: StoredEvidence = {
    status: { code: 503, line: "HTTP/1.1 503 Gone" },
    headers: [{ name: "server", value: "é'\\" }],
    body: 'line\n"quoted" \\ 😀',
    addresses: ["192.0.2.1"],
    steps: [{ name: "login", status: 200, ms: 12.5 }, { ms: 3 }],
  };
  await store([
    failed({ atMs: openedAtMs - 4 * minuteMs }),
    failed({ atMs: openedAtMs - 3_000, location: "eu1" }, found),
    failed({ atMs: openedAtMs + 5 * minuteMs }),
    failed({ atMs: nowMs - 2 * minuteMs }),
    failed({ atMs: openedAtMs, monitorId: 2 }),
  ]);
  const evidence = { at: new Date(openedAtMs - 3_000).toISOString(), location: "eu1", ...found };
  expect(await ofIncident(openedAtMs)).toEqual({
    evidence,
    latestEvidence: {
      at: new Date(nowMs - 2 * minuteMs).toISOString(),
      location: "default",
      expected: String(nowMs - 2 * minuteMs),
    },
  });
  expect(await ofIncident(openedAtMs, nowMs - 30 * minuteMs)).toEqual({ evidence, latestEvidence: undefined });
});

test("the newest evidence is not repeated, and other times and monitors are ignored", async () => {
  await store([failed({ atMs: nowMs - 40 * minuteMs }), failed({ atMs: nowMs - 10 * minuteMs })]);
  expect(await ofIncident(nowMs - 10 * minuteMs)).toMatchObject({ evidence: {}, latestEvidence: undefined });
  expect(await ofIncident(nowMs - 25 * minuteMs, nowMs - 20 * minuteMs)).toEqual({});
  expect(await ofIncident(nowMs - 10 * minuteMs, undefined, 3)).toEqual({});
});

test("duplicate evidence is stored once and deleted with its monitor", async () => {
  const atMs = nowMs - minuteMs;
  await store([failed({ atMs })]);
  await store([failed({ atMs }), failed({ atMs, monitorId: 2 })], (id) => id === 2);
  expect(await count()).toEqual([{ n: 1 }]);
});

test.each<[string, Partial<Failure>]>([
  ["is no JSON", { evidence: "{" }],
  ["is of another shape", { evidence: '{"body":7}' }],
  ["is too large", { evidence: JSON.stringify({ expected: "x", more: "y".repeat(17_000) }) }],
  ["has a part that is too large", { evidence: JSON.stringify({ body: "x".repeat(2_049) }) }],
  ["is of a check that is up", { status: "up" }],
])("evidence that %s is dropped, but its result is stored", async (_what, fields) => {
  await store([failed({ atMs: nowMs - minuteMs, ...fields })]);
  expect(await count()).toEqual([{ n: 0 }]);
});

test("unknown fields are dropped, and an implausible start is capped at an hour after the slot", async () => {
  const slotMs = nowMs - minuteMs;
  const evidence = JSON.stringify({ expected: "200", later: "x" });
  await store([resultOf({ monitorId: 1, slotMs, status: "down", startedAtMs: slotMs + 400 * dayMs, evidence })]);
  const at = new Date(slotMs + 60 * minuteMs).toISOString();
  expect((await ofIncident(slotMs + 60 * minuteMs)).evidence).toEqual({ at, location: "default", expected: "200" });
});

const answered: StoredEvidence = {
  headers: [{ name: "body", value: '"body":"x"' }],
  body: 'a \\ "quoted" \\" \\\\ end\n',
  expected: 'holds "body":"y"',
};

test("a monitor that keeps no bodies gets none and loses the stored ones, and nothing else", async () => {
  const atMs = nowMs - minuteMs;
  const { body, ...rest } = answered;
  await store([
    failed({ atMs }, { body: "alone" }),
    failed({ atMs: atMs + 1 }, answered),
    failed({ atMs, monitorId: 2 }, answered),
  ]);
  await store([failed({ atMs, monitorId: 3 }, answered)], undefined, (id) => id !== 3);
  await deleteBodies(server.clickhouse.writer, [1, 4]);
  await deleteBodies(server.clickhouse.writer, [1, 4]);
  const at = new Date(atMs).toISOString();
  const location = "default";
  expect((await ofIncident(atMs)).evidence).toEqual({ at, location });
  expect((await ofIncident(atMs + 1, nowMs)).evidence).toEqual({
    at: new Date(atMs + 1).toISOString(),
    location,
    ...rest,
  });
  expect((await ofIncident(atMs, nowMs, 2)).evidence).toEqual({ at, location, ...answered, body });
  expect((await ofIncident(atMs, nowMs, 3)).evidence).toEqual({ at, location, ...rest });
});

test("an incident has the paths traced while it lasted, of its monitor and location only", async () => {
  const openedAtMs = nowMs - 60 * minuteMs;
  const path = (
    atMs: number,
    fields: { monitorId?: number; location?: string; address?: string; recovered?: boolean } = {},
  ) => ({
    monitorId: 1,
    location: "eu1",
    slotMs: atMs,
    tracedAtMs: atMs + 500,
    address: "192.0.2.1",
    recovered: false,
    hops: [{ ttl: 1, address: "10.0.0.1" }, { ttl: 2 }, { ttl: 3, address: "192.0.2.1", roundTripMs: 12.5 }],
    ...fields,
  });
  const paths = [
    path(openedAtMs - 60 * minuteMs),
    path(openedAtMs - 3_000),
    path(openedAtMs - 3_000, { monitorId: 2 }),
    path(openedAtMs - 2_000, { location: "us1" }),
    path(openedAtMs - 1_000, { address: "x".repeat(100) }),
    path(nowMs - minuteMs, { recovered: true }),
  ];
  const batch = toBinary(ResultBatchSchema, create(ResultBatchSchema, { paths }));
  const writer = createWriter({ clock, isDeleted: () => false });
  const options = { nowMs, rawDays: 31, location: "eu1" };
  for (let time = 0; time < 2; time++) await writer.write(server.clickhouse.writer, [readBatch(batch, options)]);
  const find = (closedAtMs?: number) =>
    incidentPaths({ clock, read: server.access.read }, { monitorId: 1, openedAtMs, closedAtMs });
  const first = {
    at: new Date(openedAtMs - 2_500).toISOString(),
    location: "eu1",
    address: "192.0.2.1",
    recovered: false,
    hops: [{ ttl: 1, address: "10.0.0.1" }, { ttl: 2 }, { ttl: 3, address: "192.0.2.1", roundTrip: 12.5 }],
  };
  expect(await find(openedAtMs + minuteMs)).toEqual([first]);
  expect(await find()).toMatchObject([first, { recovered: true }]);
});
