import { create, toBinary } from "@bufbuild/protobuf";
import { principals } from "@sonde/gateway/testing/principals";
import { type FakeSystem, startFakeSystem } from "@sonde/gateway/testing/fake-system";
import { freePort } from "@sonde/local/embedded/free-port";
import { startNats } from "@sonde/local/embedded/nats";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { subjects } from "@sonde/proto/subjects";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Figure, ms, percent, percentile, table } from "../probe/figures.ts";

// P12 and P8: the gateway as a process of its own, beside bare Koa in the same run.
const warmMs = 5000;
const measureMs = Number(process.argv[2] ?? 10_000);
const streams = 1000;
const sessions = 100;
const changesASecond = 50;
const tokenPrefix = "a-token-for-the-benchmark-";
const here = (name: string) => join(import.meta.dirname, name);

const nats = await startNats();
const system = await startFakeSystem(nats.url);
const gateway = await startGateway(nats.url);
try {
  const figures = [...(await requests(gateway)), ...(await streaming(gateway, system))];
  process.stdout.write(`${table(figures)}\n`);
} finally {
  gateway.child.kill("SIGTERM");
  await once(gateway.child, "exit");
  await system.stop();
  await nats.stop();
}
process.exit(0);

type Gateway = { child: ChildProcess; port: number; cpuMs(): Promise<number>; gauge(name: string): Promise<number> };

async function startGateway(natsUrl: string): Promise<Gateway> {
  const [port, opsPort] = [await freePort(), await freePort()];
  const environment = { NATS_URL: natsUrl, PORT: String(port), OPS_PORT: String(opsPort), GATEWAY_WAIT_SECONDS: "30" };
  const main = join(import.meta.dirname, "../../services/gateway/src/main.ts");
  const child = fork(main, { env: { ...process.env, ...environment, LOG_LEVEL: "warn" } });
  await once(child, "message");
  const gauge = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1]);
  };
  return { child, port, gauge, cpuMs: async () => (await gauge("process_cpu_seconds_total")) * 1000 };
}

/** P12: CPU of one request that is answered from memory, as a multiple of what Koa alone costs just now. */
async function requests({ port, cpuMs }: Gateway): Promise<Figure[]> {
  await system.putSession(principals.user, "user");
  const koa = fork(here("bare-koa.ts"));
  const [{ port: koaPort }] = (await once(koa, "message")) as [{ port: number }];
  const koaCpuMs = async () => {
    koa.send("cpu");
    const [{ cpuMicros }] = (await once(koa, "message")) as [{ cpuMicros: number }];
    return cpuMicros / 1000;
  };
  const bareMs = await cpuARequest(koaPort, koaCpuMs);
  const oursMs = await cpuARequest(port, cpuMs);
  koa.disconnect();
  const aCore = 1000 / oursMs;
  const measured = `${Math.round(aCore)}/s (${ms(oursMs)}); bare Koa ${Math.round(1000 / bareMs)}/s (${ms(bareMs)})`;
  return [{ goal: "P12", what: "/api/auth/me, a core", wanted: "≥ 20000/s", measured, held: aCore >= 20_000 }];
}

async function cpuARequest(port: number, cpuMs: () => Promise<number>): Promise<number> {
  await drive(port, warmMs);
  const before = await cpuMs();
  const count = await drive(port, measureMs);
  return ((await cpuMs()) - before) / count;
}

async function drive(port: number, durationMs: number): Promise<number> {
  const args = [port, "/api/auth/me", principals.user.token, durationMs, 64].map(String);
  const [{ count }] = (await once(fork(here("requests.ts"), args), "message")) as [{ count: number }];
  return count;
}

/** P8: how late each of many readers hears of a change, and what that costs. */
async function streaming({ port, cpuMs, gauge }: Gateway, { bus, putSession }: FakeSystem): Promise<Figure[]> {
  for (let index = 0; index < sessions; index += 1) {
    await putSession({ ...principals.user, token: `${tokenPrefix}${index}` }, "user");
  }
  const readers = fork(here("readers.ts"), [port, streams, tokenPrefix, sessions].map(String));
  while ((await gauge("sonde_streams_open")) < streams) await sleep(100);
  const [cpuBefore, startedAt] = [await cpuMs(), performance.now()];
  while (performance.now() - startedAt < measureMs) {
    const value = { monitorId: 7, name: "shop", change: "state", status: "down", previousStatus: "up" };
    const event = create(EventSchema, { id: crypto.randomUUID(), atMs: Date.now(), fact: { case: "monitor", value } });
    await bus.js.publish(subjects.event("monitor", 7), toBinary(EventSchema, event));
    await sleep(1000 / changesASecond);
  }
  const share = (100 * ((await cpuMs()) - cpuBefore)) / (performance.now() - startedAt);
  await sleep(1000);
  readers.send("latencies");
  const [{ latenciesMs }] = (await once(readers, "message")) as [{ latenciesMs: number[] }];
  readers.disconnect();
  const p99 = percentile(Float64Array.from(latenciesMs), 0.99);
  const what = `${streams} streams, ${changesASecond} changes a second`;
  return [
    { goal: "P8", what: `${what}: p99`, wanted: "≤ 100 ms", measured: ms(p99), held: p99 <= 100 },
    { goal: "P8", what: `${what}: a core`, wanted: "≤ 25 %", measured: percent(share), held: share <= 25 },
  ];
}
