import { connect } from "@nats-io/transport-node";
import { startNats } from "@sonde/local/embedded/nats";
import { subjects } from "@sonde/proto/subjects";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { silentLog } from "../service/log.ts";
import { type Change, joinGroup, watchGroups } from "./group.ts";

const shards = Array.from({ length: 100 }, (_, index) => index);
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});
/** So long on a machine of its own; a busy one takes its time. */
const within = (seconds: number) => ({ timeout: 6 * seconds * 1000, interval: 50 });

async function openBus(url: string) {
  const nc = await connect({ servers: url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  let connected = true;
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === "disconnect") connected = false;
      if (type === "reconnect") connected = true;
    }
  })();
  undo.push(() => nc.close());
  return { nc, log: silentLog, connected: () => connected && !nc.isClosed() };
}

async function enter(url: string, group: string) {
  const bus = await openBus(url);
  const membership = await joinGroup({ bus, group, log: silentLog, listenMs: 300 });
  const changes: Change[] = [];
  membership.onChange((change) => changes.push(change));
  const owned = () => shards.filter((shard) => membership.owns(shard, Date.now()));
  return { bus, membership, changes, owned };
}

const all = (members: { owned: () => number[] }[]) =>
  members.flatMap((member) => member.owned()).sort((left, right) => left - right);

describe("a group on a real bus", () => {
  test("shares out, hands over at a goodbye and after a death", async () => {
    const group = `test.${randomUUID()}`;
    const a = await enter(inject("natsUrl"), group);
    expect(a.owned()).toEqual(shards);
    const b = await enter(inject("natsUrl"), group);
    const c = await enter(inject("natsUrl"), group);
    await vi.waitFor(() => {
      expect(a.membership.members()).toHaveLength(3);
      expect(all([a, b, c])).toEqual(shards);
    }, within(10));
    expect(b.owned().length).toBeGreaterThan(10);

    await b.membership.leave();
    await vi.waitFor(() => expect(all([a, c])).toEqual(shards), within(10));
    expect(a.changes.filter(({ reason }) => reason === "gone")).toEqual([]);

    const ofC = c.owned();
    await c.bus.nc.close();
    await vi.waitFor(() => expect(a.owned()).toEqual(shards), within(15));
    const death = a.changes.find(({ reason }) => reason === "gone");
    expect(death?.member).toBe(c.membership.id);
    const nowMs = Date.now();
    expect(shards.filter((shard) => a.membership.inherited(shard, nowMs, death as Change))).toEqual(ofC);
    await a.membership.leave();
  });

  test("changes nothing while the server is away, nor when it is back", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "sonde-sharding-"));
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startNats({ dataDir });
    const group = `test.${randomUUID()}`;
    const [a, b] = [await enter(first.url, group), await enter(first.url, group)];
    await vi.waitFor(() => {
      expect(all([a, b])).toEqual(shards);
      expect(a.membership.members()).toHaveLength(2);
    }, within(10));
    // So that the join lies clearly before what follows.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const before = [a.owned(), b.owned()];

    const stoppedMs = Date.now();
    await first.stop();
    await vi.waitFor(() => expect(a.bus.connected()).toBe(false), within(10));
    // Longer than the silence after which a member counts as gone.
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect([a.owned(), b.owned()]).toEqual(before);

    const second = await startNats({ dataDir, port: first.port });
    undo.push(() => second.stop());
    await vi.waitFor(() => expect(a.bus.connected() && b.bus.connected()).toBe(true), within(10));
    await new Promise((resolve) => setTimeout(resolve, 5000));
    expect([a.owned(), b.owned()]).toEqual(before);
    expect([...a.changes, ...b.changes].filter(({ sinceMs }) => sinceMs >= stoppedMs - 1000)).toEqual([]);
  });

  test("a watcher counts the living of every group", async () => {
    const place = `test-${randomUUID()}`;
    const watcher = watchGroups({ bus: await openBus(inject("natsUrl")), subject: subjects.heartbeats(`${place}.*`) });
    undo.push(() => watcher.stop());
    const east = await enter(inject("natsUrl"), `${place}.east`);
    const west = [await enter(inject("natsUrl"), `${place}.west`), await enter(inject("natsUrl"), `${place}.west`)];
    await vi.waitFor(() => {
      expect(watcher.groups()).toEqual(
        new Map([
          [`${place}.east`, 1],
          [`${place}.west`, 2],
        ]),
      );
    }, within(10));
    await east.membership.leave();
    await west[0]?.bus.nc.close();
    await vi.waitFor(() => {
      expect(watcher.members(`${place}.east`)).toBe(0);
      expect(watcher.members(`${place}.west`)).toBe(1);
    }, within(15));
    expect(watcher.members("nowhere")).toBe(0);
  });
});
