import { createGuard } from "@sonde/kit/egress/guard";
import { createResolver } from "@sonde/kit/egress/resolver";
import { type Bus, connectBus } from "@sonde/kit/bus/connect";
import { client, type Handlers, serve } from "@sonde/kit/bus/rpc";
import { startNats } from "@sonde/embedded/nats";
import type { Database } from "@sonde/kit/postgres/database";
import { createLog, silentLog } from "@sonde/kit/service/log";
import { systemClock as clock } from "@sonde/kit/time/clock";
import { healthContract } from "@sonde/proto/rpc/health";
import { monitorsContract } from "@sonde/proto/rpc/monitors";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createEgress } from "@sonde/kit/egress/requests";
import { insertChannel, openTables } from "../testing/rows.ts";
import { createSelfWatch, readReasons } from "./self-watch.ts";

let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;
let receiver: Server;

let world: {
  away: Set<ServiceName>;
  conditions: { name: string; holds: boolean }[];
  runners: number;
  counts: { active: number; stale: number };
  status: number;
  /** monitors does not respond before it resolves. */
  gate: Promise<void>;
};
const calls: string[] = [];
const secret = "canary-in-the-path";

beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: "self-watch-test", log: silentLog, shrink: 64 });
  db = await openTables();
  receiver = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(world.status, { location: "/elsewhere" }).end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const monitors = {
    listLocations: async () => ({ locations: [{ name: "eu1", runners: world.runners, monitors: 3 }] }),
    summary: async () => {
      await world.gate;
      const counts = { total: 5, up: 0, down: 0, pending: 0, paused: 1, ...world.counts };
      return { counts, openIncidents: 0, attention: [], certificates: { total: 0, soonest: [] } };
    },
  };
  await serve(bus, monitorsContract, monitors as unknown as Handlers<typeof monitorsContract>);
});
afterAll(async () => {
  receiver.close();
  await bus.close();
  await nats.stop();
  await db.destroy();
});

const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  world = {
    away: new Set(),
    conditions: [{ name: "started", holds: true }],
    runners: 1,
    counts: { active: 4, stale: 0 },
    status: 204,
    gate: Promise.resolve(),
  };
  calls.splice(0);
  await db("self_watch").update({ dueAtMs: 0, lease: null, leaseUntilMs: 0, reasons: [] });
  for (const name of serviceNames.filter((given) => given !== "notifier")) await startHealth(name);
});
afterEach(async () => void (await Promise.all(stops.splice(0).map((stop) => stop()))));

async function startHealth(name: ServiceName) {
  const served = await serve(
    bus,
    healthContract,
    { check: async () => ({ conditions: world.conditions }) },
    { scope: name },
  );
  stops.push(served.stop);
  return served;
}

function open({
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${secret}?key=${secret}`,
  deny = [] as string[],
  signal = new AbortController().signal,
} = {}) {
  const lines: string[] = [];
  const runCheck = createSelfWatch({
    db,
    clock,
    url,
    signal,
    log: createLog("notifier", "info", { write: (line) => void lines.push(line) }),
    egress: createEgress({ resolver: createResolver({ clock }), guard: createGuard({ denyCidrs: deny }) }, clock),
    health: (service) => client(bus, healthContract, { scope: service, timeoutMs: 5_000 }),
    monitors: client(bus, monitorsContract, { timeoutMs: 5_000 }),
  });
  const next = async () => {
    await db("self_watch").update({ dueAtMs: 0 });
    return runCheck();
  };
  const logLines = () =>
    lines.splice(0).map((line) => {
      const { msg, reason, detail, fault } = JSON.parse(line) as Record<string, string | undefined>;
      return [msg, reason, detail, fault].filter((part) => part !== undefined).join(" | ");
    });
  return { runCheck, next, logLines, text: () => lines.join("") };
}

test("calls the address while all of Sonde is healthy, once for all replicas", async () => {
  const replicas = [open(), open(), open()];
  const gate = Promise.withResolvers<void>();
  world.gate = gate.promise;
  let ended = 0;
  const count = (outcome: string) => (++ended === replicas.length - 1 && gate.resolve(), outcome);
  const outcomes = await Promise.all(replicas.map(async ({ runCheck }) => count(await runCheck())));
  expect(outcomes.toSorted()).toEqual(["called", "not due", "not due"]);
  await db("self_watch").update({ dueAtMs: clock.now() + 30_000 });
  expect(await replicas[0]!.runCheck()).toBe("not due");
  expect(calls).toEqual([`GET /${secret}?key=${secret}`]);
  expect(await replicas[1]!.next()).toBe("called");
  expect(calls).toHaveLength(2);
  expect(replicas.flatMap(({ logLines }) => logLines())).toEqual([]);
});

test("logs a reason once for all replicas, and its end", async () => {
  const [one, two] = [open(), open()];
  world.runners = 0;
  expect([await one.next(), await two.next()]).toEqual(["held_back", "held_back"]);
  expect(one.logLines()).toEqual(["self-watch call suppressed | locations | no probe runner at eu1"]);
  expect(two.logLines()).toEqual([]);
  expect(await readReasons(db)).toEqual(["locations"]);
  expect(calls).toEqual([]);

  world.runners = 2;
  expect(await two.next()).toBe("called");
  expect(two.logLines()).toEqual(["reason to suppress the self-watch call is over | locations"]);
  expect(await readReasons(db)).toEqual([]);
});

test("an unavailable or unready service prevents the call", async () => {
  const watch = open();
  world.conditions = [
    { name: "started", holds: true },
    { name: "database", holds: false },
  ];
  await watch.next();
  expect((await readReasons(db)).toSorted()).toEqual(serviceNames.filter((name) => name !== "notifier").toSorted());
  expect(watch.logLines()).toContain("self-watch call suppressed | auth | auth is not ready: database");

  world.conditions = [];
  await Promise.all(stops.splice(0).map((stop) => stop()));
  for (const name of serviceNames.filter((given) => given !== "notifier" && given !== "metrics"))
    await startHealth(name);
  expect(await watch.next()).toBe("held_back");
  expect(await readReasons(db)).toEqual(["metrics"]);
});

test.each([
  [{ active: 4, stale: 2 }, "held_back"],
  [{ active: 4, stale: 1 }, "called"],
  [{ active: 0, stale: 0 }, "called"],
  [{ active: 1, stale: 1 }, "held_back"],
])("with monitors %j the outcome is %s", async (counts, outcome) => {
  world.counts = counts;
  expect(await open().next()).toBe(outcome);
});

test("alerts that are not being sent prevent the call", async () => {
  const channelId = await insertChannel(db);
  const message = { key: "stuck", channelId, targets: [], language: "en-US", status: "pending" };
  await db("messages").insert({ ...message, createdAtMs: 0, dueAtMs: 0, givesUpAtMs: clock.now() + 60_000 });
  const watch = open();
  expect(await watch.next()).toBe("held_back");
  expect(await readReasons(db)).toEqual(["deliveries"]);
  await db("messages").delete();
  expect(await watch.next()).toBe("called");
});

test("an address that fails, redirects or is denied is logged once, without the address, and soon retried", async () => {
  const watch = open();
  world.status = 302;
  expect([await watch.next(), await watch.next()]).toEqual(["failed", "failed"]);
  expect(calls.every((call) => !call.includes("elsewhere"))).toBe(true);
  expect(watch.logLines()).toEqual(["self-watch call failed; retrying | HTTP 302"]);
  world.status = 200;
  expect(await watch.next()).toBe("called");
  expect(watch.logLines()).toEqual(["self-watch call works again"]);

  calls.splice(0);
  const denied = open({ deny: ["127.0.0.0/8"] });
  const unknown = open({ url: `http://${secret}.invalid/` });
  expect([await denied.next(), await unknown.next()]).toEqual(["failed", "failed"]);
  expect(calls).toEqual([]);
  expect(denied.text() + unknown.text()).not.toContain(secret);
  expect(denied.logLines()).toEqual(["self-watch call failed; retrying | blocked"]);
});

test("a process that stops aborts its call without a log line, and another calls within ten seconds", async () => {
  const stopping = new AbortController();
  const silent = createServer(() => stopping.abort());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/${secret}`;
  const watch = open({ url, signal: stopping.signal });
  expect(await watch.next()).toBe("failed");
  expect(watch.logLines()).toEqual([]);
  expect(await db("self_watch").first()).toMatchObject({ lease: null, leaseUntilMs: 0 });
  expect(await open().next()).toBe("called");
  silent.closeAllConnections();
  silent.close();
});
