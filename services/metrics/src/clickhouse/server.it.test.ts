import { type Bus, connectBus, publishFact } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { type HttpClickHouse, serveClickHouse } from "../testing/http-clickhouse.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";
import { type Engine, startEngine } from "./embedded.ts";

// The service against an HTTP server that is unavailable at times.
let folder: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let engine: Engine;
let server: HttpClickHouse;
let service: Awaited<ReturnType<typeof start>>;
const nowMs = Date.now();
const minuteMs = 60_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-metrics-"));
  nats = await startNats({ dataDir: join(folder, "nats") });
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
  engine = await startEngine(join(folder, "clickhouse"));
  server = await serveClickHouse(engine, 0);
  await server.stop();
  service = await start(
    readConfig({
      NATS_URL: nats.url,
      CLICKHOUSE_URL: `http://127.0.0.1:${server.port}/history`,
      LOG_LEVEL: "silent",
      SONDE_LOCAL: "1",
    }),
  );
});
afterAll(async () => {
  await service.stop();
  await server.stop();
  engine.close();
  await bus.close();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

const comeBack = async () => void (server = await serveClickHouse(engine, server.port));
const publish = (monitorId: number, results: ReturnType<typeof resultOf>[], location = "default") =>
  publishFact(bus, subjects.results(partitionOf(monitorId), location), batchOf(results));
const metrics = () => client(bus, metricsContract, { timeoutMs: 30_000 });
const countOf = async (monitorId: number) => {
  const { buckets } = await metrics().monitorHistory({ monitorId, range: "24h" });
  return buckets.reduce((sum, bucket) => sum + bucket.checks, 0);
};
const consumer = () => bus.jsm.consumers.info(streams.results.name, "metrics");

test("without its server the service starts, logs that, and leaves results on the bus", async () => {
  await expect(metrics().monitorUptimes({ monitorIds: [] })).rejects.toMatchObject({ code: "unavailable" });
  await expect(metrics().listChecks({ monitorId: 1, limit: 1 })).rejects.toMatchObject({ code: "unavailable" });
  // Six blocks: only what was pulled before the first failure may be buffered in memory.
  for (let message = 0; message < 600; message++) {
    const slot = (index: number) => nowMs - ((message * 100 + index) % 1_200) * minuteMs - (message % 7);
    await publish(
      1,
      Array.from({ length: 100 }, (_, index) => resultOf({ monitorId: 1, slotMs: slot(index) })),
    );
  }
  await vi.waitFor(async () => expect((await consumer()).num_ack_pending).toBeGreaterThan(0), { timeout: 30_000 });
  const { num_ack_pending: taken, num_pending: left } = await consumer();
  expect(taken).toBeLessThanOrEqual(200);
  expect(taken + left).toBe(600);
});

test("when the server becomes available, the database is created and all results are stored", async () => {
  await comeBack();
  await vi.waitFor(
    async () => {
      const { num_pending: left, num_ack_pending: taken } = await consumer();
      expect(left + taken).toBe(0);
    },
    { timeout: 30_000, interval: 200 },
  );
  expect(await countOf(1)).toBe(1_200 * 7);
});

test("history, lists and uptimes over HTTP equal those of the embedded engine", async () => {
  const text = `it's 100 % "down" \\ {id:UInt32}`;
  const location = "a'b\\";
  const failure = failureOf({ monitorId: 2, slotMs: nowMs - minuteMs, message: text, location });
  await publish(2, [failure, resultOf({ monitorId: 2, slotMs: nowMs - 2 * minuteMs, location })], location);
  await vi.waitFor(async () => expect(await countOf(2)).toBe(2), { timeout: 30_000 });
  const { checks } = await metrics().listChecks({ monitorId: 2, limit: 10 });
  expect(checks.map(({ status, location }) => [status, location])).toEqual([
    ["down", "a'b\\"],
    ["up", "a'b\\"],
  ]);
  expect(checks[0]?.error?.message).toBe(text);
  const failed = await metrics().listChecks({ monitorId: 2, limit: 10, failedOnly: true });
  expect(failed.checks).toEqual([checks[0]]);
  const { uptimes } = await metrics().monitorUptimes({ monitorIds: [2] });
  expect(uptimes).toMatchObject([{ monitorId: 2, h24: 50, d30: 50 }]);
  const { buckets } = await metrics().monitorHistory({ monitorId: 2, range: "30d" });
  expect(buckets.flatMap(({ error }) => error ?? [])).toEqual([text]);
  for (const range of ["1h", "24h", "7d"] as const) {
    const { summary } = await metrics().monitorHistory({ monitorId: 2, range, timeZone: "Asia/Kolkata" });
    expect(summary).toMatchObject({ checks: 2, failures: 1, avg: 42.5 });
  }
});

test("an agent's samples are stored and returned over HTTP, with any disk names", async () => {
  const disks = { "it's /": 10, "\\ {id:UInt32}": 20 };
  const network: Record<string, [number | null, number]> = { eth0: [null, 7] };
  await publishFact(
    bus,
    subjects.samples(4),
    sampleBatchOf([sampleOf({ agentId: 4, atMs: nowMs, cpu: 12.5, disks, network })]),
  );
  for (const range of ["1h", "24h", "30d"] as const) {
    const query = () => metrics().agentMetrics({ agentId: 4, range });
    await vi.waitFor(async () => expect((await query()).cpu?.avg).toEqual([12.5]), { timeout: 30_000 });
    const answer = await query();
    expect(answer.disks.map(({ mountPoint, usage }) => [mountPoint, usage?.max])).toEqual([
      ["\\ {id:UInt32}", [20]],
      ["it's /", [10]],
    ]);
    expect(answer.network).toMatchObject([{ interface: "eth0", receiveRate: { avg: [] }, sendRate: { avg: [7] } }]);
  }
});

test("a server that goes offline delays results but loses none", async () => {
  await server.stop();
  await publish(3, [resultOf({ monitorId: 3, slotMs: nowMs - minuteMs })]);
  await publishFact(bus, subjects.samples(6), sampleBatchOf([sampleOf({ agentId: 6, atMs: nowMs, cpu: 3 })]));
  await expect(countOf(3)).rejects.toMatchObject({ code: "unavailable" });
  const samples = () => metrics().agentMetrics({ agentId: 6, range: "24h" });
  await expect(samples()).rejects.toMatchObject({ code: "unavailable" });
  await comeBack();
  await vi.waitFor(async () => expect((await samples()).cpu?.avg).toEqual([3]), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await countOf(3)).toBe(1), { timeout: 30_000 });
});
