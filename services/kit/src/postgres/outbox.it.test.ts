import { fromBinary } from "@bufbuild/protobuf";
import { EventSchema } from "@sonde/proto/gen/events/v1/events";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startNats } from "@sonde/embedded/nats";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test, vi } from "vitest";
import { type Bus, connectBus } from "../bus/connect.ts";
import { followStream } from "../bus/follow.ts";
import { silentLog } from "../service/log.ts";
import { listEvents } from "./events.testing.ts";
import { enqueueEvent, enqueueKey, listEventPage, outboxMigration } from "./outbox.ts";
import { type Relay, startRelay } from "./outbox-relay.ts";
import { type Database, openDatabase } from "./database.ts";

let dataDir: string;
let nats: Awaited<ReturnType<typeof startNats>>;
let bus: Bus;
let db: Database;
const relays: Relay[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "sonde-outbox-"));
  nats = await startNats({ dataDir });
  bus = await connectBus({ url: nats.url, name: "outbox", log: silentLog, shrink: 4 });
});
afterAll(async () => {
  await bus.close();
  await nats.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const migrations = {
  "001-outbox": outboxMigration,
  "002-things": {
    up: (trx: Database) => trx.raw("create table things (key text primary key, revision bigint, word text)"),
  },
};

beforeEach(async () => {
  const schema = `outbox_${randomUUID().replace(/[^a-f]/g, "")}`;
  db = await openDatabase({ url: inject("databaseUrl"), schema, migrations, log: silentLog, camelCase: true });
});
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await db.destroy();
});

const encode = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const decode = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes)) as { revision: number; word: string };

function relay(): Relay {
  const started = startRelay({
    db,
    bus,
    log: silentLog,
    projections: {
      monitors: {
        read: async (keys) => {
          const rows = await db("things").whereIn("key", keys);
          return new Map(rows.map((row) => [row.key, { revision: row.revision, value: encode(row) }]));
        },
        revisionOf: (value) => decode(value).revision,
        keys: () => db("things").select("key", "revision"),
      },
    },
  });
  relays.push(started);
  return started;
}

const save = (key: string, revision: number, word: string) =>
  db.transaction(async (trx) => {
    await trx("things").insert({ key, revision, word }).onConflict("key").merge();
    await enqueueKey(trx, "monitors", key);
  });
const stored = async (key: string) => {
  const entry = await (await bus.kv("monitors")).get(key);
  return entry?.operation === "PUT" ? decode(entry.value).word : undefined;
};
const key = () => `k${randomUUID()}`;
const opened = (id: string, atMs: number) => ({
  id,
  atMs,
  fact: { case: "incident" as const, value: { change: "opened", incident: { id: "m1", targetId: 1 } } },
});

test("a committed row reaches its bucket, a rolled back one does not", async () => {
  const [kept, dropped] = [key(), key()];
  const sender = relay();
  await save(kept, 1, "hello");
  const failed = db.transaction(async (trx) => {
    await trx("things").insert({ key: dropped, revision: 1, word: "never" });
    await enqueueKey(trx, "monitors", dropped);
    throw new Error("rolled back");
  });
  await expect(failed).rejects.toThrow("rolled back");
  await sender.drained();
  expect(await stored(kept)).toBe("hello");
  expect(await stored(dropped)).toBeUndefined();
});

test("an empty outbox is polled without a transaction", async () => {
  const sender = relay();
  await sender.drained();
  const statements: string[] = [];
  const note = ({ sql }: { sql: string }) => void statements.push(sql);
  db.on("query", note);
  await sender.drained();
  db.off("query", note);
  expect(statements).toContainEqual(expect.stringContaining(`from "outbox" limit`));
  expect(statements.filter((sql) => /^begin/i.test(sql))).toEqual([]);
});

test("the newest row wins with two relays and many changes of a key", async () => {
  const name = key();
  const senders = [relay(), relay()];
  for (let revision = 1; revision <= 30; revision++) {
    await save(name, revision, `word ${revision}`);
    for (const sender of senders) sender.nudge();
  }
  await Promise.all(senders.map((sender) => sender.drained()));
  expect(await stored(name)).toBe("word 30");
});

test("a transaction that commits late, with a lower id, is sent", async () => {
  const [late, early] = [key(), key()];
  const sender = relay();
  const trx = await db.transaction();
  await trx("things").insert({ key: late, revision: 1, word: "late" });
  await enqueueKey(trx, "monitors", late);
  await save(early, 2, "early");
  await sender.drained();
  expect(await stored(early)).toBe("early");
  expect(await stored(late)).toBeUndefined();
  await trx.commit();
  await sender.drained();
  expect(await stored(late)).toBe("late");
});

test("a newer revision in the bucket is not overwritten, and a key without a row is purged", async () => {
  const name = key();
  const sender = relay();
  await (await bus.kv("monitors")).put(name, encode({ revision: 9, word: "newer" }));
  await save(name, 3, "older");
  await sender.drained();
  expect(await stored(name)).toBe("newer");
  await db.transaction(async (trx) => {
    await trx("things").where({ key: name }).delete();
    await enqueueKey(trx, "monitors", name);
  });
  await sender.drained();
  expect(await stored(name)).toBeUndefined();
});

test("an event is published once even if its id is enqueued again, and can be listed by time", async () => {
  const seen: string[] = [];
  const id = randomUUID();
  // Recent, because the relay deletes events older than thirty days.
  const [atMs, laterMs] = [Date.now(), Date.now() + 1_000];
  const following = followStream(bus, {
    stream: "EVENTS",
    from: "first",
    onMessage: ({ header }) => void seen.push(header("Nats-Msg-Id")),
  });
  const sender = relay();
  for (const at of [atMs, atMs]) await db.transaction((trx) => enqueueEvent(trx, opened(id, at)));
  await db.transaction((trx) => enqueueEvent(trx, opened(`${id}-b`, atMs)));
  await db.transaction((trx) => enqueueEvent(trx, opened(`${id}-later`, laterMs)));
  await sender.drained();
  await vi.waitFor(() => expect(seen.filter((one) => one.startsWith(id))).toEqual([id, `${id}-b`, `${id}-later`]), {
    timeout: 30_000,
  });
  await following.stop();

  expect((await listEvents(db, atMs, 10)).map((event) => event.id)).toEqual([id, `${id}-b`, `${id}-later`]);
  expect((await listEvents(db, atMs, 1, id)).map((event) => event.id)).toEqual([`${id}-b`]);
  expect(await listEvents(db, laterMs + 1, 10)).toEqual([]);
});

test("a page of events fits into a bus message, and the next page continues after it", async () => {
  const atMs = Date.now();
  const large = (id: string) => {
    const value = { change: "opened", incident: { id: "m1", targetId: 1, cause: "x".repeat(200 * 1024) } };
    return { id, atMs, fact: { case: "incident" as const, value } };
  };
  const names = ["a", "b", "c", "d", "e"];
  for (const id of names) await db.transaction((trx) => enqueueEvent(trx, large(id)));
  const pages: string[][] = [];
  for (let after = "", more = true; more;) {
    const page = await listEventPage(db, atMs, 10, after);
    const found = page.events.map((bytes) => fromBinary(EventSchema, bytes).id);
    pages.push(found);
    [after, more] = [found.at(-1) ?? "", page.more];
  }
  expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  expect((await listEventPage(db, atMs, 1, "")).more).toBe(true);
  expect(await listEventPage(db, atMs, 1, "e")).toEqual({ events: [], more: false });
});

test("a row too large for a bus message is skipped, and does not block later ones", async () => {
  const [large, small] = [key(), key()];
  const tooLong = "x".repeat(2 * 1024 * 1024);
  const sender = relay();
  await save(large, 1, "before");
  await sender.drained();
  await save(large, 2, tooLong);
  const incident = { id: "m1", targetId: 1, cause: tooLong };
  const fact = { case: "incident" as const, value: { change: "opened", incident } };
  await db.transaction((trx) => enqueueEvent(trx, { id: randomUUID(), atMs: Date.now(), fact }));
  await save(small, 3, "after");
  await sender.drained();
  expect(await stored(small)).toBe("after");
  expect(await stored(large)).toBe("before");
  expect(await db("outbox").count("* as count").first()).toEqual({ count: 0 });
});

test("rows wait while the bus is unavailable; a bus that lost everything is filled again", async () => {
  const [before, during] = [key(), key()];
  const sender = relay();
  await save(before, 1, "before");
  await sender.drained();
  await nats.stop();
  await rm(join(dataDir, "jetstream"), { recursive: true, force: true });
  await save(during, 2, "during");
  sender.nudge();
  expect(await db("outbox").count("* as count").first()).toEqual({ count: 1 });
  nats = await startNats({ dataDir, port: nats.port });
  await vi.waitFor(
    async () => {
      expect(await stored(before)).toBe("before");
      expect(await stored(during)).toBe("during");
    },
    { timeout: 30_000, interval: 200 },
  );
});
