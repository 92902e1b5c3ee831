import { type Bus, connectBus, publishFact } from "@sonde/kit/bus/connect";
import { silentLog } from "@sonde/kit/service/log";
import { client } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import { metricsContract } from "@sonde/proto/rpc/metrics";
import { streams } from "@sonde/proto/streams";
import { partitionOf, subjects } from "@sonde/proto/subjects";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { batchOf, randomOf, resultOf } from "../testing/results.ts";
import { sampleBatchOf, sampleOf } from "../testing/samples.ts";

// The service runs in a separate process, so that it can be killed.
let folder: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let child: ChildProcess;

const spawnService = () =>
  spawn(process.execPath, [fileURLToPath(new URL("../main.ts", import.meta.url))], {
    env: { ...process.env, NATS_URL: nats.url, SONDE_DATA_DIR: folder, LOG_LEVEL: "warn", SONDE_LOCAL: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
const kill = async () => {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-metrics-"));
  nats = await startNats({ dataDir: join(folder, "nats") });
  bus = await connectBus({ url: nats.url, name: "test", log: silentLog, shrink: 4 });
  child = spawnService();
});
afterAll(async () => {
  await kill();
  await bus.close();
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

test("after repeated kills under load, every result and sample on the bus is stored once", async () => {
  const minuteMs = 60_000;
  const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs;
  const random = randomOf(17);
  let slots = 0;
  let minutes = 0;
  for (let round = 0; round < 4; round++) {
    const untilMs = performance.now() + 1_500 + random() * 1_500;
    while (performance.now() < untilMs && slots < 1_400 * 10) {
      const results = Array.from({ length: 20 }, () => {
        const slotMs = nowMs - (slots % 1_400) * minuteMs;
        return resultOf({ monitorId: 1 + Math.floor(slots++ / 1_400), slotMs });
      });
      const byMonitor = Map.groupBy(results, ({ monitorId }) => monitorId);
      for (const [monitorId, own] of byMonitor) {
        await publishFact(bus, subjects.results(partitionOf(monitorId), "default"), batchOf(own));
      }
      // One agent's samples every five minutes, each published twice.
      const sample = sampleOf({ agentId: 5, atMs: nowMs - minutes * 5 * minuteMs, bootId: "b", sequence: minutes });
      if (minutes++ < 280) await publishFact(bus, subjects.samples(5), sampleBatchOf([sample, sample]));
      await sleep(5);
    }
    await kill();
    child = spawnService();
  }
  await vi.waitFor(
    async () => {
      for (const { name } of [streams.results, streams.samples]) {
        const info = await bus.jsm.consumers.info(name, "metrics");
        expect(info.num_pending + info.num_ack_pending).toBe(0);
      }
    },
    { timeout: 30_000, interval: 200 },
  );
  const metrics = client(bus, metricsContract, { timeoutMs: 30_000 });
  let stored = 0;
  for (let monitorId = 1; (monitorId - 1) * 1_400 < slots; monitorId++) {
    const { buckets } = await metrics.monitorHistory({ monitorId, range: "24h" });
    stored += buckets.reduce((sum, bucket) => sum + bucket.checks, 0);
  }
  expect(stored).toBe(slots);
  const { cpu } = await metrics.agentMetrics({ agentId: 5, range: "24h" });
  expect(cpu?.steps).toHaveLength(Math.min(minutes, 280));
});
