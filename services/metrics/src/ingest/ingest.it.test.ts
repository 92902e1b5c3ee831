import { create, toBinary } from "@bufbuild/protobuf";
import { type Bus, connectBus, publishFact } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { followStream } from "@sonde/kit/bus/follow";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import { presentCheck } from "@sonde/domain/check-result";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets, streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { batchOf, failureOf, resultOf } from "../testing/results.ts";

// One complete service with its own bus; each test uses other monitors.
let folder: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let service: Awaited<ReturnType<typeof start>>;
const minuteMs = 60_000;
const nowMs = Date.now();

const config = (extra: Record<string, string> = {}) =>
  readConfig({ NATS_URL: nats.url, SONDE_DATA_DIR: folder, LOG_LEVEL: "silent", SONDE_LOCAL: "1", ...extra });

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

const publish = (results: ReturnType<typeof resultOf>[]) =>
  publishFact(bus, subjects.results(partitionOf(results[0]?.monitorId ?? 0), "default"), batchOf(results));
const metrics = () => client(bus, metricsContract, { timeoutMs: 30_000 });
const checksOf = async (monitorId: number) => (await metrics().listChecks({ monitorId, limit: 200 })).checks;
const setTimeline = async (
  monitorId: number,
  revision: number,
  deleted = false,
  keepBody?: boolean,
  locations = ["default"],
) => {
  const spans = deleted ? [] : [{ fromMs: nowMs - 3_600_000, intervalMs: minuteMs, locations, active: true }];
  const timeline = create(MonitorTimelineSchema, { monitorId, revision, deleted, spans, keepBody });
  await (await bus.kv("timelines")).put(String(monitorId), toBinary(MonitorTimelineSchema, timeline));
};
const setWindow = async (id: number, monitorId: number) => {
  const occurrences = [{ fromMs: nowMs - 10 * minuteMs, toMs: nowMs - 5 * minuteMs, monitorIds: [monitorId] }];
  const window = create(MaintenanceWindowSchema, { id, revision: 1, occurrences });
  await (await bus.kv(buckets.maintenance)).put(String(id), toBinary(MaintenanceWindowSchema, window));
};
const pendingOf = async () => {
  const info = await bus.jsm.consumers.info(streams.results.name, "metrics");
  return info.num_pending + info.num_ack_pending;
};

test("a published result is listed completely", async () => {
  const sent = failureOf({ monitorId: 101, slotMs: nowMs - minuteMs, latenessMs: 7, responseTimeMs: 8_123.4 });
  await publish([sent, resultOf({ monitorId: 101, slotMs: nowMs - 2 * minuteMs })]);
  await vi.waitFor(async () => expect(await checksOf(101)).toHaveLength(2), { timeout: 30_000 });
  expect((await checksOf(101))[0]).toEqual(presentCheck({ ...sent, startedAtMs: sent.slotMs + 7 }));
});

test("messages are acknowledged after they are stored", async () => {
  await vi.waitFor(async () => expect(await pendingOf()).toBe(0), { timeout: 30_000 });
});

test("invalid messages are dead-lettered, and the valid results among them are kept", async () => {
  const seen: { reason: string; data: Uint8Array; subject: string }[] = [];
  const following = followStream(bus, {
    stream: streams.deadLetters.name,
    from: "first",
    onMessage: (message) => {
      seen.push({
        reason: message.header("Sonde-Reason"),
        data: new Uint8Array(message.data),
        subject: message.header("Sonde-Subject"),
      });
    },
  });
  const garbage = new Uint8Array([255, 1, 2, 3]);
  await publishFact(bus, subjects.results(3, "default"), garbage);
  await publish([
    resultOf({ monitorId: 102, slotMs: nowMs - minuteMs }),
    resultOf({ monitorId: 102, slotMs: nowMs, status: "sideways" }),
    resultOf({ monitorId: 102, slotMs: Number.NaN }),
  ]);
  await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 30_000 });
  expect(seen[0]).toEqual({ reason: "not a batch of results", data: garbage, subject: subjects.results(3, "default") });
  expect(seen[1]?.reason).toBe("result 1: unknown status");
  await vi.waitFor(async () => expect(await checksOf(102)).toHaveLength(1), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await pendingOf()).toBe(0), { timeout: 30_000 });
  await following.stop();
});

test("slots that would soon expire and slots in the future are refused", async () => {
  const dayMs = 86_400_000;
  await publish([
    resultOf({ monitorId: 103, slotMs: nowMs - 29.5 * dayMs }),
    resultOf({ monitorId: 103, slotMs: nowMs + dayMs }),
    resultOf({ monitorId: 103, slotMs: nowMs - 28 * dayMs }),
  ]);
  await vi.waitFor(async () => expect(await checksOf(103)).toHaveLength(1), { timeout: 30_000 });
  expect((await checksOf(103)).map(({ slot }) => Date.parse(slot))).toEqual([nowMs - 28 * dayMs]);
});

test("results of a location that was just added are kept, even if they arrive before the edit", async () => {
  await setTimeline(119, 1);
  await publish([resultOf({ monitorId: 119, slotMs: nowMs - 2 * minuteMs })]);
  await vi.waitFor(async () => expect(await checksOf(119)).toHaveLength(1), { timeout: 30_000 });
  const early = resultOf({ monitorId: 119, slotMs: nowMs - minuteMs, location: "east" });
  await publishFact(bus, subjects.results(partitionOf(119), "east"), batchOf([early]));
  await vi.waitFor(async () => {
    const info = await bus.jsm.consumers.info(streams.results.name, "metrics");
    expect(info.num_redelivered).toBeGreaterThan(0);
  }, 30_000);
  await setTimeline(119, 2, false, undefined, ["default", "east"]);
  await vi.waitFor(async () => expect((await checksOf(119))[0]?.location).toBe("east"), { timeout: 30_000 });
});

const onOneLine = (text: string) => text.replaceAll(/\p{Cc}/gu, " ");
const nasty = `'; DROP TABLE checks; -- \\' "} {id:UInt32} ;\n\n;\tFORMAT CSV\u0000 \u2028 😀 \\N`;

test("text is never interpreted as SQL, neither when stored nor in queries", async () => {
  // Subjects cannot contain such a location; runners of the previous version have none in their subject.
  const failure = failureOf({
    monitorId: 104,
    slotMs: nowMs - minuteMs,
    location: nasty,
    runner: nasty,
    message: nasty,
  });
  await publishFact(bus, subjects.previousResults(partitionOf(104)), batchOf([failure]));
  await vi.waitFor(async () => expect(await checksOf(104)).toHaveLength(1), { timeout: 30_000 });
  expect((await checksOf(104))[0]).toMatchObject({
    location: nasty,
    error: { message: onOneLine(nasty) },
  });
  const { buckets } = await metrics().monitorHistory({ monitorId: 104, range: "24h" });
  expect(buckets.map((bucket) => bucket.error).filter(Boolean)).toEqual([onOneLine(nasty)]);
  await expect(metrics().monitorHistory({ monitorId: 104, range: nasty as never })).rejects.toMatchObject({
    code: "invalid",
  });
});

test("a tombstone deletes a monitor's rows, and late results do not bring them back", async () => {
  await setTimeline(105, 1);
  await publish([resultOf({ monitorId: 105, slotMs: nowMs - minuteMs }), resultOf({ monitorId: 106, slotMs: nowMs })]);
  await vi.waitFor(async () => expect(await checksOf(105)).toHaveLength(1), { timeout: 30_000 });
  await setTimeline(105, 2, true);
  await vi.waitFor(async () => expect(await checksOf(105)).toEqual([]), { timeout: 30_000 });
  await publish([resultOf({ monitorId: 105, slotMs: nowMs }), resultOf({ monitorId: 106, slotMs: nowMs - minuteMs })]);
  await vi.waitFor(async () => expect(await checksOf(106)).toHaveLength(2), { timeout: 30_000 });
  expect(await checksOf(105)).toEqual([]);
});

test("results and deletions from while the service was down are applied after a restart", async () => {
  await publish([resultOf({ monitorId: 107, slotMs: nowMs - minuteMs })]);
  await vi.waitFor(async () => expect(await checksOf(107)).toHaveLength(1), { timeout: 30_000 });
  await service.stop();
  for (let minute = 0; minute < 300; minute++) {
    await publish([resultOf({ monitorId: 108, slotMs: nowMs - minute * minuteMs })]);
  }
  await setTimeline(107, 1, true);
  service = await start(config());
  await vi.waitFor(async () => expect(await pendingOf()).toBe(0), { timeout: 30_000 });
  await vi.waitFor(async () => expect(await checksOf(107)).toEqual([]), { timeout: 30_000 });
  expect((await metrics().listChecks({ monitorId: 108, limit: 1000 })).checks).toHaveLength(300);
});

test("results that waited on the bus are marked by the windows of their time at startup", async () => {
  await service.stop();
  await setWindow(1, 110);
  const slots = [11, 10, 6, 5].map((minutes) => nowMs - minutes * minuteMs);
  await publish(slots.map((slotMs) => failureOf({ monitorId: 110, slotMs })));
  await publish([failureOf({ monitorId: 110, slotMs: slots[1]! + 1, manual: true })]);
  service = await start(config());
  await vi.waitFor(async () => expect(await checksOf(110)).toHaveLength(5), { timeout: 30_000 });
  // On a busy machine the rows may be written before the windows are read; the marks are corrected then.
  await vi.waitFor(
    async () => {
      const marked = (await checksOf(110)).filter(({ inMaintenance }) => inMaintenance);
      expect(marked.map(({ slot, manual }) => [Date.parse(slot), manual])).toEqual([
        [slots[2], false],
        [slots[1], false],
      ]);
    },
    { timeout: 30_000 },
  );
  const { buckets: steps } = await metrics().monitorHistory({ monitorId: 110, range: "24h" });
  expect(steps.reduce((sum, { checks }) => sum + checks, 0)).toBe(2);
});

test("a window that arrives after its checks were stored marks them", async () => {
  await publish([11, 6].map((minutes) => failureOf({ monitorId: 111, slotMs: nowMs - minutes * minuteMs })));
  await vi.waitFor(async () => expect(await checksOf(111)).toHaveLength(2), { timeout: 30_000 });
  expect((await checksOf(111)).some(({ inMaintenance }) => inMaintenance)).toBe(false);
  await setWindow(2, 111);
  await vi.waitFor(
    async () => expect((await checksOf(111)).map(({ inMaintenance }) => inMaintenance)).toEqual([true, undefined]),
    { timeout: 30_000 },
  );
});

test("a monitor that stops keeping bodies loses the stored ones, and gets no more", async () => {
  const openedAtMs = nowMs - 2 * minuteMs;
  const evidence = JSON.stringify({ body: "what it answered", expected: "200" });
  const failAt = (slotMs: number) => publish([failureOf({ monitorId: 110, slotMs, startedAtMs: slotMs, evidence })]);
  const found = async () => {
    const story = await metrics().incidentEvidence({ monitorId: 110, openedAtMs });
    return [story.evidence, story.latestEvidence].map((each) => each && [each.body, each.expected]);
  };
  await setTimeline(110, 1);
  await failAt(openedAtMs);
  await vi.waitFor(async () => expect(await found()).toEqual([["what it answered", "200"], undefined]), {
    timeout: 30_000,
  });
  await setTimeline(110, 2, false, false);
  await vi.waitFor(async () => expect(await found()).toEqual([[undefined, "200"], undefined]), { timeout: 30_000 });
  await failAt(nowMs - minuteMs);
  await vi.waitFor(
    async () =>
      expect(await found()).toEqual([
        [undefined, "200"],
        [undefined, "200"],
      ]),
    { timeout: 30_000 },
  );
});

test("a deleted durable consumer is created again", async () => {
  await bus.jsm.consumers.delete(streams.results.name, "metrics");
  await publish([resultOf({ monitorId: 109, slotMs: nowMs - minuteMs })]);
  await vi.waitFor(async () => expect(await checksOf(109)).toHaveLength(1), { timeout: 30_000 });
});
