import { create, toBinary } from "@bufbuild/protobuf";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { startNats } from "@sonde/embedded/nats";
import { type Database } from "@sonde/kit/postgres/database";
import type { Service } from "@sonde/kit/service/lifecycle";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets, streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { readConfig } from "../config.ts";
import { start } from "../main.ts";
import { eventually } from "../testing/eventually.ts";
import { type Producer, startProducer } from "../testing/producer.ts";
import { insertChannel, openTables, uniqueSchema } from "../testing/rows.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let schema: string;
let db: Database;
let monitors: Producer;
let agents: Producer;
const notifiers: Service[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-notifier-"));
  nats = await startNats({ dataDir });
});
afterAll(async () => {
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  schema = uniqueSchema();
  db = await openTables(schema);
  // Nothing listens on this port, so messages wait.
  const config = JSON.stringify({ serverUrl: "http://127.0.0.1:9", topic: "sonde" });
  const channel = await insertChannel(db, { config });
  const value = JSON.stringify({ channels: [channel] });
  await db("settings").insert({ scope: "global-monitor", value, revision: 1 });
  [monitors, agents] = [await startProducer(nats.url), await startProducer(nats.url, "agents")];
});
afterEach(async () => {
  await Promise.all(notifiers.splice(0).map((notifier) => notifier.stop()));
  await Promise.all([monitors.stop(), agents.stop()]);
  await db.destroy();
});

async function startNotifier(): Promise<Service> {
  const config = readConfig({
    NATS_URL: nats.url,
    DATABASE_URL: inject("databaseUrl"),
    SONDE_LOCAL: "1",
    LOG_LEVEL: "silent",
    ...deriveKeys(Buffer.alloc(32, 7).toString("base64")),
  });
  const notifier = await start(config, schema);
  notifiers.push(notifier);
  return notifier;
}
async function stopNotifier(notifier: Service): Promise<void> {
  notifiers.splice(notifiers.indexOf(notifier), 1);
  await notifier.stop();
}
const notifications = async () => {
  const rows = await db("deliveries").join("alerts", "alerts.id", "alert_id").orderBy("deliveries.id");
  return rows.map((row) => `${row.incidentId} ${row.moment}`);
};
const reconciled = () => eventually(async () => expect(await db("reconciliations")).toHaveLength(2));

test("published events are decided, and reading them again at each reconciliation has no effect", async () => {
  await startNotifier();
  await reconciled();
  await monitors.commit(1);
  await eventually(async () => expect(await notifications()).toEqual(["m1 opened"]));
  await monitors.commit(1, { change: "closed" });
  await eventually(async () => expect(await notifications()).toEqual(["m1 opened", "m1 closed"]));
  // Another notifier reads events from the last five minutes.
  const readCount = monitors.readCount();
  await startNotifier();
  await monitors.commit(2);
  await eventually(async () => expect((await notifications()).at(-1)).toBe("m2 opened"));
  await eventually(() => expect(monitors.readCount()).toBeGreaterThan(readCount));
  expect(await notifications()).toEqual(["m1 opened", "m1 closed", "m2 opened"]);
});

test("a notifier sends what happened while none ran, in order", async () => {
  const first = await startNotifier();
  await reconciled();
  await stopNotifier(first);
  await monitors.commit(1);
  await monitors.commit(1, { change: "closed" });
  await monitors.commit(2);
  await startNotifier();
  await eventually(async () => expect(await notifications()).toEqual(["m1 opened", "m1 closed", "m2 opened"]));
});

test("reconciliation after a reconnect finds events that the stream lost", async () => {
  await startNotifier();
  await reconciled();
  await monitors.commit(1, {}, true);
  await nats.stop();
  nats = await startNats({ dataDir, port: nats.port });
  await eventually(async () => expect(await notifications()).toEqual(["m1 opened"]));
});

test("a bus that lost all its data during an incident loses and duplicates no alert", async () => {
  await startNotifier();
  await reconciled();
  await monitors.commit(1);
  await eventually(async () => expect(await notifications()).toEqual(["m1 opened"]));
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
  await monitors.commit(2);
  await monitors.commit(1, { change: "closed" });
  nats = await startNats({ dataDir, port: nats.port });
  await eventually(async () =>
    expect((await notifications()).toSorted()).toEqual(["m1 closed", "m1 opened", "m2 opened"]),
  );
  await monitors.commit(2, { change: "closed" });
  await eventually(async () => expect((await notifications()).at(-1)).toBe("m2 closed"));
  expect(await notifications()).toHaveLength(4);
});

test("two notifiers, one repeatedly restarted, send each moment once", async () => {
  await startNotifier();
  let second = await startNotifier();
  await reconciled();
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const id of ids) {
    await monitors.commit(id);
    if (id % 2 === 0) await monitors.commit(id, { change: "closed" });
    if (id % 20 === 0) {
      await stopNotifier(second);
      second = await startNotifier();
    }
  }
  const expected = ids.flatMap((id) => (id % 2 === 0 ? [`m${id} opened`, `m${id} closed`] : [`m${id} opened`]));
  await eventually(async () => expect(await notifications()).toHaveLength(expected.length));
  expect((await notifications()).toSorted()).toEqual(expected.toSorted());
});

test("reads all pages of events", async () => {
  for (let id = 1; id <= 450; id++) await monitors.commit(id, { atMs: Date.now() - 1_000 }, true);
  await startNotifier();
  await eventually(async () => expect(await notifications()).toHaveLength(450));
  expect(monitors.readCount()).toBeGreaterThanOrEqual(3);
});

test("skips unreadable events, and sends what follows", async () => {
  await startNotifier();
  await reconciled();
  const publish = (bytes: Uint8Array) => monitors.bus.js.publish(subjects.event("incident", "m1"), bytes);
  await publish(new Uint8Array([255, 255, 255]));
  await monitors.commit(1, { incident: { id: "m1", kind: "on fire" } });
  await monitors.commit(2, { incident: { id: "" } });
  await monitors.commit(3, { incident: { id: "m3", openedAtMs: Number.NaN } });
  await monitors.commit(4, { change: "sung of" });
  await monitors.commitEvent({ id: "empty", atMs: Date.now(), fact: { case: "monitor", value: { monitorId: 5 } } });
  await monitors.commit(6);
  await eventually(async () => expect(await notifications()).toEqual(["m6 opened"]));
  // PostgreSQL cannot store a NUL character, so only this event fails.
  await monitors.commit(7, { incident: { id: "m7", targetType: "monitor", targetId: 7, kind: "down", cause: "\0" } });
  await monitors.commit(8);
  await eventually(async () => expect(await notifications()).toEqual(["m6 opened", "m8 opened"]));
  await publish(new Uint8Array([255]));
  expect((await monitors.bus.jsm.streams.info(streams.events.name)).state.messages).toBeGreaterThan(0);
});

test("deleting a monitor or an agent deletes its settings", async () => {
  const value = JSON.stringify({ enabled: false });
  await db("settings").insert([
    { scope: "monitor", targetId: 12, value, revision: 2 },
    { scope: "agent", targetId: 12, value, revision: 3 },
    { scope: "monitor", targetId: 13, value, revision: 4 },
  ]);
  await startNotifier();
  await reconciled();
  const left = () =>
    db("settings").whereNull("deleted_at_ms").where("target_id", ">", 0).orderBy("scope").pluck("scope");
  const gone = { name: "gone", change: "deleted" };
  await monitors.commitEvent({
    id: "d",
    atMs: Date.now(),
    fact: { case: "monitor", value: { ...gone, monitorId: 12 } },
  });
  await eventually(async () => expect(await left()).toEqual(["agent", "monitor"]));
  await agents.commitEvent({ id: "e", atMs: Date.now(), fact: { case: "agent", value: { ...gone, agentId: 12 } } });
  await eventually(async () => expect(await left()).toEqual(["monitor"]));
});

test("defers by the bucket's maintenance until its window is removed, also in a notifier that starts in the meantime", async () => {
  const { bus } = monitors;
  const kv = await bus.kv(buckets.maintenance);
  const nowMs = Date.now();
  const put = (revision: number, ...ends: number[]) => {
    const occurrences = ends.map((hours) => ({
      fromMs: nowMs - 3_600_000,
      toMs: nowMs + hours * 3_600_000,
      monitorIds: [1, 2],
    }));
    const window = create(MaintenanceWindowSchema, { id: 1, revision, deleted: ends.length === 0, occurrences });
    return kv.put("1", toBinary(MaintenanceWindowSchema, window));
  };
  await put(1, 1);
  const first = await startNotifier();
  await reconciled();
  await monitors.commit(1);
  await monitors.commit(3);
  await eventually(async () => expect(await notifications()).toEqual(["m3 opened"]));
  const deferrals = () => db("decisions").where({ outcome: "held" }).pluck<number[]>("until_ms");
  await eventually(async () => expect(await deferrals()).toEqual([nowMs + 3_600_000]));
  await put(2, 2);
  await eventually(async () => expect(await deferrals()).toEqual([nowMs + 2 * 3_600_000]));
  await stopNotifier(first);
  await put(3, 3);
  await monitors.commit(2);
  await monitors.commit(4);
  await startNotifier();
  await eventually(async () => expect(await notifications()).toEqual(["m3 opened", "m4 opened"]));
  await eventually(async () => expect(await deferrals()).toEqual([nowMs + 3 * 3_600_000, nowMs + 3 * 3_600_000]));
  await monitors.commit(2, { change: "closed" });
  await eventually(async () => expect(await deferrals()).toHaveLength(1));
  await put(4);
  await eventually(async () => expect(await notifications()).toEqual(["m3 opened", "m4 opened", "m1 opened"]));
  await kv.purge("1");
});

test("defers by the bucket's silences, and applies a repeated snooze event once", async () => {
  const kv = await monitors.bus.kv(buckets.maintenance);
  const nowMs = Date.now();
  const put = (revision: number, hours: number) => {
    const silence = { fromMs: nowMs - 1_000, toMs: nowMs + hours * 3_600_000, monitorIds: [1] };
    const window = create(MaintenanceWindowSchema, { id: 2, revision, silence });
    return kv.put("2", toBinary(MaintenanceWindowSchema, window));
  };
  await put(1, 1);
  await startNotifier();
  await reconciled();
  await monitors.commit(1);
  await monitors.commit(3);
  await eventually(async () => expect(await notifications()).toEqual(["m3 opened"]));
  const deferrals = () => db("decisions").where({ outcome: "held" }).pluck<string[]>("reason");
  await eventually(async () => expect(await deferrals()).toEqual(["silenced"]));
  const incident = { snoozedUntilMs: nowMs + 3_600_000, revision: 1 };
  await monitors.commit(1, { change: "snoozed", incident });
  await eventually(async () => expect(await db("incidents").where({ id: "m1" }).first()).toMatchObject(incident));
  await put(2, 0);
  await eventually(async () => expect(await deferrals()).toEqual(["snoozed"]));
  await monitors.commit(1, { change: "snoozed", incident: { revision: 2 } });
  await eventually(async () => expect(await notifications()).toEqual(["m3 opened", "m1 opened"]));
  // A second notifier reads all of it again.
  const readCount = monitors.readCount();
  await startNotifier();
  await eventually(() => expect(monitors.readCount()).toBeGreaterThan(readCount));
  await monitors.commit(4);
  await eventually(async () => expect((await notifications()).at(-1)).toBe("m4 opened"));
  expect(await db("incidents").where({ id: "m1" }).first()).toMatchObject({ snoozedUntilMs: null, revision: 2 });
  await kv.purge("2");
});
