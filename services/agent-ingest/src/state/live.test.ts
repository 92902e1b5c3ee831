import { fromBinary } from "@bufbuild/protobuf";
import { silentLog } from "@sonde/kit/service/log";
import { AgentFiguresBatchSchema } from "@sonde/proto/gen/agents/v1/agents";
import { expect, test } from "vitest";
import { startLive } from "./live.ts";
import type { TrackedAgent } from "./tracked.ts";

const nowMs = 1_800_000_000_000;
const agent = (id: number, cpu: number | undefined): TrackedAgent => ({
  id,
  intervalMs: 10_000,
  status: "online",
  statusSinceMs: nowMs,
  stateStream: "",
  stateMark: 0,
  open: new Set(),
  reading: {
    lastSeenMs: nowMs,
    atMs: nowMs,
    bootId: "",
    sequence: 1,
    skewMs: 0,
    runs: {},
    uptimeSeconds: 1,
    figures: {
      cpu,
      memory: 0,
      disk: { mountPoint: "/", usage: 91 },
      network: { sendRate: 5 },
      load: undefined,
    },
    sample: new Uint8Array(),
  },
});

test("the newest figures of each agent are published in one message, where missing values are absent and zero is not", () => {
  const published: Uint8Array[] = [];
  const nc = { publish: (_subject: string, bytes: Uint8Array) => void published.push(bytes) };
  const live = startLive({ nc, connected: () => true, log: silentLog } as unknown as Parameters<typeof startLive>[0]);
  live.publish(agent(7, 1));
  live.publish(agent(23, undefined));
  live.publish(agent(7, 50));
  live.stop();
  expect(published).toHaveLength(1);
  const { figures } = fromBinary(AgentFiguresBatchSchema, published[0] ?? new Uint8Array());
  const alike = { status: "online", lastSeenMs: nowMs, memoryUsage: 0, diskUsage: 91, sendRate: 5 };
  expect(figures).toMatchObject([
    { agentId: 7, cpuUsage: 50, ...alike },
    { agentId: 23, ...alike },
  ]);
  expect([figures[1]?.cpuUsage, figures[0]?.receiveRate, figures[0]?.loadOne]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
