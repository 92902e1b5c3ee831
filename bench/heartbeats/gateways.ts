import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { followStream } from "@sonde/kit/bus/follow";
import { startNats } from "@sonde/kit/embedded/nats";
import { PingBatchSchema, PingTargetSchema } from "@sonde/proto/gen/pings/v1/pings";
import { buckets, streams } from "@sonde/proto/streams";
import { type ChildProcess, fork } from "node:child_process";
import { hash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startWatched, type Watched } from "../gateway/processes.ts";
import { type Figure, ms, percentile } from "@sonde/testing/figures";
import { uuidOf } from "./pinger.ts";

type Over = { begun: number; counts: Record<string, number>; latenciesMs: number[] };
type Load = {
  ports: number[];
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

/** A bus with stand-ins of all other services, and so many heartbeats whose addresses the gateways know. */
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
  const stored = new Set<string>();
  const following = followStream(system.bus, {
    stream: streams.pings.name,
    from: "first",
    onMessage: ({ data }) => {
      for (const { runId } of fromBinary(PingBatchSchema, data).pings) stored.add(runId ?? "");
    },
  });
  return {
    heartbeats,
    stored,
    startGateway: (port?: number) =>
      startWatched("gateway.ts", { ...environment(nats.url), ...(port !== undefined && { PORT: String(port) }) }),
    stop: async () => {
      await following.stop();
      await system.stop();
      await nats.stop();
    },
  };
}
export type Pinged = Awaited<ReturnType<typeof startPinged>>;

function startPinger({ ports, heartbeats, rate, durationMs, connections, kind }: Load): ChildProcess {
  const script = join(import.meta.dirname, "pinger.ts");
  const args = [ports.join(), heartbeats, rate, durationMs, connections, kind].map(String);
  return fork(script, args, { serialization: "advanced" });
}

/** Runs a load; answers what became of it, and the numbers of the calls that were acknowledged. */
async function ping(load: Load): Promise<Over & { acknowledged: number[] }> {
  const acknowledged: number[] = [];
  const child = startPinger(load);
  const over = Promise.withResolvers<Over>();
  child.on("message", (message: { acknowledged?: number[]; over?: Over }) => {
    for (const number of message.acknowledged ?? []) acknowledged.push(number);
    if (message.over !== undefined) over.resolve(message.over);
  });
  child.once("exit", () => over.reject(new Error("the pinger ended without an answer")));
  return { ...(await over.promise), acknowledged };
}

const summary = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");

/** Processor time of the gateway for a call, idle cost included. */
export async function cpuFigure(
  pinged: Pinged,
  { kind, rate, durationMs }: { kind: "kept" | "fresh"; rate: number; durationMs: number },
): Promise<Figure> {
  const gateway = await pinged.startGateway();
  const load = { ports: [gateway.port], heartbeats: pinged.heartbeats, rate, connections: Math.ceil(rate / 5), kind };
  await ping({ ...load, durationMs: durationMs / 4 });
  const before = await gateway.cpuMs();
  const { counts } = await ping({ ...load, durationMs });
  const each = ((await gateway.cpuMs()) - before) / (counts["200"] ?? 0);
  await gateway.stop();
  const most = kind === "kept" ? 0.06 : 0.15;
  return {
    goal: "H1",
    what: `CPU of the gateway a ping, ${kind} connections, ${rate}/s (${summary(counts)})`,
    wanted: `≤ ${most} ms`,
    measured: `${each.toFixed(3)} ms`,
    held: each <= most,
  };
}

/** Two gateways under a load, one of which is killed so often: what was acknowledged must be stored. */
export async function lossFigures(
  pinged: Pinged,
  { rate, durationMs, kills }: { rate: number; durationMs: number; kills: number },
): Promise<Figure[]> {
  const calm = await run(pinged, { rate, durationMs: durationMs / 3, kills: 0 });
  const killed = await run(pinged, { rate, durationMs, kills });
  const p99 = percentile(Float64Array.from(calm.latenciesMs), 0.99);
  const reached = (calm.counts["200"] ?? 0) / (durationMs / 3000);
  return [
    {
      goal: "H2",
      what: `pings stored a second by two gateways (${summary(calm.counts)})`,
      wanted: `≥ ${Math.floor(rate * 0.99)}/s`,
      measured: `${reached.toFixed(0)}/s`,
      held: reached >= rate * 0.99,
    },
    {
      goal: "H3",
      what: "answer to a ping, p99, at that rate",
      wanted: "≤ 150 ms",
      measured: ms(p99),
      held: p99 <= 150,
    },
    {
      goal: "H4",
      what: `acknowledged pings that are lost, over ${killed.kills} kill -9 of a gateway (${summary(killed.counts)})`,
      wanted: "0",
      measured: `${killed.lost} of ${killed.acknowledged}`,
      held: killed.lost === 0,
    },
  ];
}

async function run(
  pinged: Pinged,
  { rate, durationMs, kills }: { rate: number; durationMs: number; kills: number },
): Promise<Over & { acknowledged: number; lost: number; kills: number }> {
  const [one, other] = [await pinged.startGateway(), await pinged.startGateway()];
  pinged.stored.clear();
  const gateways: [Killable, Killable] = [killable(pinged, one), killable(pinged, other)];
  const load = {
    ports: [one.port, other.port],
    heartbeats: pinged.heartbeats,
    rate,
    durationMs,
    connections: rate / 4,
  };
  const pinging = ping({ ...load, kind: "kept" });
  let done = 0;
  for (; done < kills; done += 1) {
    await sleep(durationMs / (kills + 1));
    await gateways[done % 2]!.killAndStart();
  }
  const { acknowledged, ...over } = await pinging;
  await sleep(2_000);
  const lost = acknowledged.filter((number) => !pinged.stored.has(uuidOf(number))).length;
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  return { ...over, acknowledged: acknowledged.length, lost, kills: done };
}

type Killable = { killAndStart(): Promise<void>; stop(): Promise<void> };

/** A gateway that comes back at the same port. */
function killable(pinged: Pinged, first: Watched): Killable {
  let gateway = first;
  return {
    killAndStart: async () => {
      await gateway.kill();
      gateway = await pinged.startGateway(first.port);
    },
    stop: () => gateway.stop(),
  };
}
