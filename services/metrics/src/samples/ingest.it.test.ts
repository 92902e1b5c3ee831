import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus, publishFact } from "@sonde/kit/bus/connect";
import { followStream } from "@sonde/kit/bus/follow";
import { silentLog } from "@sonde/kit/service/log";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import type { AgentSample } from "@sonde/proto/gen/agents/v1/samples";
import { AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import type { MetricsRange } from "@sonde/proto/http/agents/agents";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { buckets, streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";

// One complete service with its own bus; each test uses other agents.
let folder: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let service: Awaited<ReturnType<typeof start>>;
const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
const nowMs = Date.now();
const waitOptions = { timeout: 30_000, interval: 100 };

const config = () => readConfig({ NATS_URL: nats.url, SONDE_DATA_DIR: folder, LOG_LEVEL: "silent", SONDE_LOCAL: "1" });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-metrics-"));
  nats = await startNats({ dataDir: join(folder, "nats") });
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
  service = await start(config());
});
afterAll(async () => {
  await service.stop();
  await bus.close();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

const publish = (samples: AgentSample[]) =>
  publishFact(bus, subjects.samples(partitionOf(samples[0]?.agentId ?? 0)), sampleBatchOf(samples));
const metricsOf = (agentId: number, range: MetricsRange = "24h") =>
  client(bus, metricsContract, { timeoutMs: 30_000 }).agentMetrics({ agentId, range });
const stepsOf = async (agentId: number, range?: MetricsRange) =>
  (await metricsOf(agentId, range)).cpu?.steps.length ?? 0;
const publishAgentEvent = (agentId: number, change: string) => {
  const fact = { case: "agent" as const, value: { agentId, change } };
  const event = create(EventSchema, { id: `agent-${agentId}:${change}`, atMs: Date.now(), fact });
  return publishFact(bus, subjects.event("agent", agentId), toBinary(EventSchema, event));
};
const putKey = async (agentId: number, agentDeleted: boolean) => {
  const key = create(AgentKeySchema, { agentId, revision: 2, deleted: true, agentDeleted });
  await (await bus.kv(buckets.agents)).put(`hash-of-a-key-of-${agentId}`, toBinary(AgentKeySchema, key));
};
const pendingOf = async () => {
  const info = await bus.jsm.consumers.info(streams.samples.name, "metrics");
  return info.num_pending + info.num_ack_pending;
};
const settled = () => vi.waitFor(async () => expect(await pendingOf()).toBe(0), waitOptions);

test("a published sample is included in every range, and acknowledged after it is stored", async () => {
  await publish([sampleOf({ agentId: 101, atMs: Date.now(), cpu: 12.5, disks: { "/": 40, "/data": 90 } })]);
  await settled();
  for (const range of ["1h", "24h", "30d"] as const) {
    const { cpu, disks, network, stepCount } = await metricsOf(101, range);
    expect(cpu).toMatchObject({ avg: [12.5], max: [12.5] });
    // The current step, unless the next one has begun.
    expect([stepCount - 1, stepCount - 2]).toContain(cpu?.steps[0]);
    expect(disks.map(({ mountPoint, usage }) => [mountPoint, usage?.max])).toEqual([
      ["/", [40]],
      ["/data", [90]],
    ]);
    expect(network.map(({ receiveRate, sendRate }) => [receiveRate?.avg, sendRate?.avg])).toEqual([[[1_000], [500]]]);
  }
  await expect(metricsOf(101, "1 OR 1" as never)).rejects.toMatchObject({ code: "invalid" });
});

test("invalid messages are dead-lettered, and the valid samples among them are kept", async () => {
  const seen: { reason: string; data: Uint8Array; subject: string }[] = [];
  const following = followStream(bus, {
    stream: streams.deadLetters.name,
    subjects: [subjects.deadLetter(streams.samples.name)],
    from: "first",
    onMessage: (message) => {
      const [reason, subject] = [message.header("Sonde-Reason"), message.header("Sonde-Subject")];
      seen.push({ reason, subject, data: new Uint8Array(message.data) });
    },
  });
  const garbage = new Uint8Array([255, 1, 2, 3]);
  await publishFact(bus, subjects.samples(3), garbage);
  await publish([
    sampleOf({ agentId: 102, atMs: nowMs }),
    sampleOf({ agentId: 102, atMs: nowMs - 1, cpu: Number.NaN }),
  ]);
  await vi.waitFor(() => expect(seen).toHaveLength(2), waitOptions);
  expect(seen[0]).toEqual({ reason: "not a batch of samples", data: garbage, subject: subjects.samples(3) });
  expect(seen[1]?.reason).toBe("sample 1: cpu is not a number");
  await settled();
  expect(await stepsOf(102)).toBe(1);
  await following.stop();
});

test("samples that would soon expire and those in the future are refused; a month's samples are kept", async () => {
  await publish([
    sampleOf({ agentId: 103, atMs: nowMs - 29.5 * dayMs }),
    sampleOf({ agentId: 103, atMs: nowMs + dayMs }),
    sampleOf({ agentId: 103, atMs: nowMs - 28 * dayMs }),
  ]);
  await settled();
  expect(await stepsOf(103, "30d")).toBe(1);
});

test("deleting an agent deletes its samples, and late ones do not bring them back", async () => {
  await publish([sampleOf({ agentId: 104, atMs: nowMs })]);
  await publish([sampleOf({ agentId: 105, atMs: nowMs })]);
  await publishAgentEvent(105, "renamed");
  await settled();
  expect([await stepsOf(104), await stepsOf(105)]).toEqual([1, 1]);
  await publishAgentEvent(104, "deleted");
  await vi.waitFor(async () => expect(await stepsOf(104)).toBe(0), waitOptions);
  await publish([sampleOf({ agentId: 104, atMs: nowMs }), sampleOf({ agentId: 105, atMs: nowMs - 10 * minuteMs })]);
  await settled();
  expect([await stepsOf(104), await stepsOf(105)]).toEqual([0, 2]);
});

test("a revoked key deletes nothing, unless its agent was deleted", async () => {
  await publish([sampleOf({ agentId: 108, atMs: nowMs })]);
  await publish([sampleOf({ agentId: 109, atMs: nowMs })]);
  await settled();
  await putKey(109, false);
  await putKey(108, true);
  await vi.waitFor(async () => expect(await stepsOf(108)).toBe(0), waitOptions);
  expect(await stepsOf(109)).toBe(1);
});

test("invalid messages about agents stop nothing", async () => {
  await publish([sampleOf({ agentId: 110, atMs: nowMs })]);
  await settled();
  await publishFact(bus, subjects.event("agent", 110), new Uint8Array([255, 255]));
  await (await bus.kv(buckets.agents)).put("garbage", new Uint8Array([255, 255]));
  await publishAgentEvent(110, "deleted");
  await vi.waitFor(async () => expect(await stepsOf(110)).toBe(0), waitOptions);
});

test("after a restart the backlog is stored once, and missed deletions are made up for", async () => {
  await publish([sampleOf({ agentId: 106, atMs: nowMs })]);
  await settled();
  await service.stop();
  const backlog = Array.from({ length: 200 }, (_, index) =>
    sampleOf({ agentId: 107, atMs: nowMs - index * 5 * minuteMs, bootId: "b", sequence: index, cpu: index / 2 }),
  );
  for (let round = 0; round < 2; round++) for (const sample of backlog) await publish([sample]);
  await publish([sampleOf({ agentId: 106, atMs: nowMs - 10 * minuteMs })]);
  await publishAgentEvent(106, "deleted");
  // A deletion is final, regardless of later messages: ids are never reused.
  await publishAgentEvent(106, "state");
  service = await start(config());
  await settled();
  await vi.waitFor(async () => expect(await stepsOf(106)).toBe(0), waitOptions);
  const { cpu } = await metricsOf(107);
  expect(cpu?.avg.toSorted((left, right) => left - right)).toEqual(backlog.map((_, index) => index / 2));
});
