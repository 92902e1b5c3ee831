import { connect, type NatsConnection } from "@nats-io/transport-node";
import { startNats } from "@sonde/embedded/nats";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { once, EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { silentLog } from "../service/log.ts";
import { type FakeClock, fakeClock } from "../time/clock.ts";
import { type MembershipChange, joinGroup, watchGroups } from "./group.ts";

const shards = Array.from({ length: 100 }, (_, index) => index);
const undo: (() => unknown)[] = [];
let clock: FakeClock;
let buses: { nc: NatsConnection; connected: () => boolean }[];

// Fake clock, real bus.
beforeEach(() => {
  clock = fakeClock();
  buses = [];
});
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function openBus(url: string) {
  const nc = await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const statuses = new EventEmitter();
  let connected = true;
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === "disconnect") connected = false;
      if (type === "reconnect") connected = true;
      statuses.emit(type);
    }
  })();
  undo.push(() => nc.close());
  const bus = { nc, log: silentLog, connected: () => connected && !nc.isClosed(), statuses };
  buses.push(bus);
  return bus;
}

/** Advances time for every member in steps of 100 ms, and delivers messages. */
async function pass(seconds: number): Promise<void> {
  for (let tenth = 0; tenth < Math.round(seconds * 10); tenth++) {
    clock.advance(100);
    // The first flush shows that the server has received our messages, the second that we have received its messages.
    for (let round = 0; round < 2; round++)
      await Promise.all(buses.filter((bus) => bus.connected()).map(({ nc }) => nc.flush()));
  }
}

/** Advances time until a promise settles. */
async function passUntil<T>(step: Promise<T>): Promise<T> {
  let done = false;
  void step.finally(() => (done = true));
  for (let tenths = 0; !done && tenths < 100; tenths++) await pass(0.1);
  return step;
}

async function enter(url: string, group: string) {
  const bus = await openBus(url);
  const membership = await passUntil(joinGroup({ bus, group, log: silentLog, clock, listenMs: 300 }));
  const changes: MembershipChange[] = [];
  membership.onChange((change) => changes.push(change));
  const owned = () => shards.filter((shard) => membership.owns(shard, clock.now()));
  return { bus, membership, changes, owned };
}

const all = (members: { owned: () => number[] }[]) =>
  members.flatMap((member) => member.owned()).sort((left, right) => left - right);

describe("a group on a real bus", () => {
  test("divides shards, and reassigns them after a departure and a crash", async () => {
    const group = `test.${randomUUID()}`;
    const a = await enter(inject("natsUrl"), group);
    expect(a.owned()).toEqual(shards);
    const b = await enter(inject("natsUrl"), group);
    const c = await enter(inject("natsUrl"), group);
    await pass(2);
    expect(a.membership.members()).toHaveLength(3);
    expect(all([a, b, c])).toEqual(shards);
    expect(b.owned().length).toBeGreaterThan(10);

    await passUntil(b.membership.leave());
    await pass(0.5);
    expect(all([a, c])).toEqual(shards);
    expect(a.changes.filter(({ reason }) => reason === "gone")).toEqual([]);

    const ofC = c.owned();
    await c.bus.nc.close();
    await pass(6);
    expect(a.owned()).toEqual(shards);
    const death = a.changes.find(({ reason }) => reason === "gone");
    expect(death?.member).toBe(c.membership.id);
    const nowMs = clock.now();
    expect(shards.filter((shard) => a.membership.inherited(shard, nowMs, death as MembershipChange))).toEqual(ofC);
    await passUntil(a.membership.leave());
  });

  test("changes nothing while the server is down, or when it is back", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "sonde-sharding-"));
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startNats({ dataDir });
    const group = `test.${randomUUID()}`;
    const [a, b] = [await enter(first.url, group), await enter(first.url, group)];
    await pass(3);
    expect(all([a, b])).toEqual(shards);
    expect(a.membership.members()).toHaveLength(2);
    const before = [a.owned(), b.owned()];
    const changes = [a.changes.length, b.changes.length];

    const away = [a, b].map(({ bus }) => once(bus.statuses, "disconnect"));
    await first.stop();
    await Promise.all(away);
    // Longer than the silence after which a member is gone.
    await pass(10);
    expect([a.owned(), b.owned()]).toEqual(before);

    const back = [a, b].map(({ bus }) => once(bus.statuses, "reconnect"));
    const second = await startNats({ dataDir, port: first.port });
    undo.push(() => second.stop());
    await Promise.all(back);
    await pass(10);
    expect([a.owned(), b.owned()]).toEqual(before);
    expect([a.changes.length, b.changes.length]).toEqual(changes);
  });

  test("a watcher counts the living members of every group", async () => {
    const place = `test-${randomUUID()}`;
    const subject = subjects.heartbeats(`${place}.*`);
    const watcher = watchGroups({ bus: await openBus(inject("natsUrl")), subject, clock });
    undo.push(() => watcher.stop());
    const east = await enter(inject("natsUrl"), `${place}.east`);
    const west = [await enter(inject("natsUrl"), `${place}.west`), await enter(inject("natsUrl"), `${place}.west`)];
    await pass(2);
    expect(watcher.groups()).toEqual(
      new Map([
        [`${place}.east`, 1],
        [`${place}.west`, 2],
      ]),
    );
    await passUntil(east.membership.leave());
    await west[0]?.bus.nc.close();
    await pass(6);
    expect(watcher.members(`${place}.east`)).toBe(0);
    expect(watcher.members(`${place}.west`)).toBe(1);
    expect(watcher.members("nowhere")).toBe(0);
  });
});
