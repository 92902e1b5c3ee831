import { create, toBinary } from "@bufbuild/protobuf";
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { startNats } from "@sonde/embedded/nats";
import { PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { buckets } from "@sonde/proto/streams";
import { fork } from "node:child_process";
import { hash } from "node:crypto";
import { join } from "node:path";
import { startWatched } from "../gateway/processes.ts";
import type { Figure } from "@sonde/testing/figures";
import { uuidOf } from "./pinger.ts";

type Counts = Record<string, number>;
type Load = {
  port: number;
  heartbeats: number;
  rate: number;
  durationMs: number;
  connections: number;
  kind: "kept" | "fresh";
};

const environment = (natsUrl: string) => ({
  NATS_URL: natsUrl,
  GATEWAY_WAIT_SECONDS: "30",
  LOG_LEVEL: "error",
  TRUSTED_PROXIES: "127.0.0.1",
});

/** Starts a bus with fake services and heartbeats whose ping addresses the gateways know. */
export async function startPinged(heartbeats: number) {
  const nats = await startNats();
  const system = await startFakeSystem(nats.url);
  const kv = await system.bus.kv(buckets.pings);
  for (let at = 0; at < heartbeats; at += 500) {
    await Promise.all(
      Array.from({ length: Math.min(500, heartbeats - at) }, (_, more) => {
        const target = create(PingTargetSchema, { monitorId: at + more + 1 });
        return kv.put(hash("sha256", uuidOf(at + more), "hex"), toBinary(PingTargetSchema, target));
      }),
    );
  }
  return {
    heartbeats,
    startGateway: () => startWatched("gateway.ts", environment(nats.url)),
    stop: async () => {
      await system.stop();
      await nats.stop();
    },
  };
}
export type Pinged = Awaited<ReturnType<typeof startPinged>>;

/** Runs a load. @returns the number of pings by status */
async function ping({ port, heartbeats, rate, durationMs, connections, kind }: Load): Promise<Counts> {
  const script = join(import.meta.dirname, "pinger.ts");
  const child = fork(script, [port, heartbeats, rate, durationMs, connections, kind].map(String));
  return new Promise((resolve, reject) => {
    child.once("message", (counts) => resolve(counts as Counts));
    child.once("exit", () => reject(new Error("the pinger ended without an answer")));
  });
}

const summary = (counts: Counts) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");

/** CPU time of the gateway per ping, idle cost included. */
export async function cpuFigure(
  pinged: Pinged,
  { kind, rate, durationMs }: { kind: "kept" | "fresh"; rate: number; durationMs: number },
): Promise<Figure> {
  const gateway = await pinged.startGateway();
  const load = { port: gateway.port, heartbeats: pinged.heartbeats, rate, connections: Math.ceil(rate / 5), kind };
  await ping({ ...load, durationMs: durationMs / 4 });
  const before = await gateway.cpuMs();
  const counts = await ping({ ...load, durationMs });
  const each = ((await gateway.cpuMs()) - before) / (counts["200"] ?? 0);
  await gateway.stop();
  const max = kind === "kept" ? 0.15 : 0.3;
  return {
    goal: "H1",
    what: `CPU of the gateway a ping, ${kind} connections, ${rate}/s (${summary(counts)})`,
    wanted: `≤ ${max} ms`,
    measured: `${each.toFixed(3)} ms`,
    held: each <= max,
  };
}
