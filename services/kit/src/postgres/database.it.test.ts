import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterEach, expect, inject, test, vi } from "vitest";
import { freePort } from "@sonde/embedded/free-port";
import { silentLog } from "../service/log.ts";
import {
  databaseAlive,
  type Database,
  isDatabaseUnavailable,
  type Migrations,
  openDatabase,
  orUnavailable,
} from "./database.ts";

const url = inject("databaseUrl");
const open: Database[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((db) => db.destroy()));
});

const uniqueSchema = () => `kit_${randomUUID().replace(/[^a-f]/g, "")}`;

async function database(schema: string, migrations: Migrations): Promise<Database> {
  const db = await openDatabase({ url, schema, migrations, log: silentLog });
  open.push(db);
  return db;
}

const things: Migrations = {
  "001-things": { up: (trx) => trx.raw("create table things (id int primary key, at_ms bigint)") },
};

test("a migration runs once, even with concurrent starts", async () => {
  const schema = uniqueSchema();
  let runs = 0;
  const migrations: Migrations = {
    "001-things": {
      up: async (trx) => {
        runs++;
        await things["001-things"]?.up(trx);
      },
    },
  };
  const [first] = await Promise.all([
    database(schema, migrations),
    database(schema, migrations),
    database(schema, migrations),
  ]);
  await database(schema, migrations);
  expect(runs).toBe(1);
  await first.raw("insert into things values (1, 1790000000123)");
  expect(await first("things").first("at_ms")).toEqual({ at_ms: 1_790_000_000_123 });
});

test("an older version starts and works with a newer schema", async () => {
  const schema = uniqueSchema();
  const newer: Migrations = {
    ...things,
    "002-more": { up: (trx) => trx.raw("alter table things add column name text; create table more (id int)") },
  };
  await database(schema, newer);
  const older = await database(schema, things);
  await older("things").insert({ id: 1, at_ms: 3 });
  expect(await older("things").first()).toMatchObject({ id: 1, at_ms: 3 });
});

test("a failed migration is rolled back and retried at the next start", async () => {
  const schema = uniqueSchema();
  const broken: Migrations = {
    "001-things": {
      up: async (trx) => {
        await things["001-things"]?.up(trx);
        await trx.raw("select nonsense");
      },
    },
  };
  await expect(database(schema, broken)).rejects.toThrow("nonsense");
  const db = await database(schema, things);
  expect(await db("things").count("* as count").first()).toEqual({ count: 0 });
});

test("a process killed while holding the migration lock does not block the next start", async () => {
  const schema = uniqueSchema();
  const holder = new pg.Client({ connectionString: url });
  holder.on("error", () => {});
  await holder.connect();
  await holder.query("select pg_advisory_lock(hashtextextended($1, 0))", [`sonde migrations ${schema}`]);
  const { rows } = await holder.query("select pg_backend_pid() as pid");
  const started = database(schema, things);
  const killer = new pg.Client({ connectionString: url });
  await killer.connect();
  await killer.query("select pg_terminate_backend($1)", [rows[0].pid]);
  await killer.end();
  expect(await databaseAlive(await started)).toBe(true);
});

test("an unavailable server is distinguished from an internal error", async () => {
  const db = await database(uniqueSchema(), things);
  const ours = await db.raw("select nonsense").catch((error: unknown) => error);
  expect(isDatabaseUnavailable(ours)).toBe(false);
  await expect(orUnavailable(() => Promise.reject(ours))).rejects.toBe(ours);

  const gone = new pg.Client({ host: "127.0.0.1", port: await freePort() });
  const away = await gone.connect().catch((error: unknown) => error);
  expect(isDatabaseUnavailable(away)).toBe(true);
  await expect(orUnavailable(() => Promise.reject(away))).rejects.toMatchObject({ code: "unavailable" });
});

test("a wrong password is reported immediately", async () => {
  const wrong = new URL(url);
  wrong.password = "wrong";
  await expect(
    openDatabase({ url: wrong.href, schema: uniqueSchema(), migrations: things, log: silentLog }),
  ).rejects.toThrow(/password/);
});

test("if roles are created elsewhere, a role that is missing or owns nothing yet is waited for, and logged once per reason", async () => {
  const schema = uniqueSchema();
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const own = new URL(url);
  [own.username, own.password] = [schema, "later"];
  const steps = [`create role ${schema} login password 'later'`, `create schema ${schema} authorization ${schema}`];
  const reasons: string[] = [];
  const warn = ({ reason }: { reason: string }) => {
    reasons.push(reason);
    void admin.query(steps.shift() ?? "select 1");
  };
  const log = { ...silentLog, warn } as never;
  const db = await openDatabase({ url: own.href, schema, migrations: things, log, whenRefused: "wait" });
  expect(reasons).toEqual([
    `password authentication failed for user "${schema}"`,
    expect.stringContaining("permission denied for database"),
  ]);
  await db("things").insert({ id: 1 });
  // A change while the service runs: callers get `unavailable`, not an internal error.
  await admin.query(`alter role ${schema} nologin`);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [schema]);
  const ask = async () => orUnavailable(async () => db("things").select());
  await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
  await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
  await db.destroy();
  await admin.query(`drop schema ${schema} cascade; drop role ${schema}`);
  await admin.end();
});

test("the readiness check is faster than the timeout for a busy pool", async () => {
  const db = await openDatabase({ url, schema: uniqueSchema(), migrations: things, log: silentLog, poolSize: 1 });
  open.push(db);
  const held = await db.transaction();
  const givenUp = db("things").then(
    () => "answered",
    () => "given up",
  );
  expect(await Promise.race([givenUp, databaseAlive(db)])).toBe(false);
  await held.rollback();
  await givenUp;
  expect(await databaseAlive(db)).toBe(true);
});

test("the error of a failed statement does not contain its values", async () => {
  const db = await database(uniqueSchema(), things);
  await db("things").insert({ id: 1 });
  const failure: unknown = await db("things")
    .insert({ id: 1, at_ms: 4_815_162_342 })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(`${String(failure)} ${(failure as Error).stack}`).not.toContain("4815162342");
});

test("rows use camel-case names, and JSON within them keeps its keys", async () => {
  const migrations: Migrations = {
    "001-things": {
      up: (trx) => trx.raw("create table some_things (id int primary key, created_at_ms bigint, extra jsonb)"),
    },
  };
  const db = await openDatabase({ url, schema: uniqueSchema(), migrations, log: silentLog, camelCase: true });
  open.push(db);
  const row = { id: 1, createdAtMs: 5, extra: { in_json: true } };
  const [inserted] = await db("someThings").insert(row).returning("*");
  expect(inserted).toEqual(row);
  expect(await db("some_things").where({ createdAtMs: 5 }).first("createdAtMs as madeAtMs")).toEqual({ madeAtMs: 5 });
  expect(await db("some_things").orderBy("createdAtMs").pluck("created_at_ms")).toEqual([5]);
  expect(await db("some_things").select("someThings.*").max("createdAtMs as newestMs").groupBy("id")).toEqual([
    { ...row, newestMs: 5 },
  ]);
  expect((await db.raw("select created_at_ms, id from some_things")).rows).toEqual([{ createdAtMs: 5, id: 1 }]);
  expect(await db("someThings").delete()).toBe(1);
  expect(await db("someThings").first()).toBeUndefined();
});

const sessions = (db: Database) => db.client.pool.numUsed() + db.client.pool.numFree();
const backend = (db: Database): Promise<number> =>
  db.raw("select pg_backend_pid() as pid").then(({ rows }) => rows[0].pid);

test("concurrent queries share a connection; a waiting query opens another, and after 30 s without waiting they share again", async () => {
  const db = await database(uniqueSchema(), things);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const atOnce = () => Promise.all(Array.from({ length: 8 }, () => backend(db)));
  expect(new Set(await atOnce()).size).toBe(1);
  expect(sessions(db)).toBe(1);
  await db.transaction(async (trx) => {
    const beside = backend(db);
    await trx.raw("select 1");
    expect(sessions(db)).toBe(1);
    vi.advanceTimersByTime(20);
    await beside;
    expect(sessions(db)).toBe(2);
  });
  expect(new Set(await atOnce()).size).toBe(2);
  vi.advanceTimersByTime(30_001);
  expect(new Set(await atOnce()).size).toBe(1);
});

test("when the server ends a connection, waiting queries get a result or an unavailable error", async () => {
  const db = await database(uniqueSchema(), things);
  const pid = await backend(db);
  const asleep = db.raw("select pg_sleep(60)").then(() => {}); // Knex sends nothing before `then`.
  const queries = [asleep, backend(db), backend(db)];
  const settled = Promise.allSettled(queries);
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query("select pg_terminate_backend($1)", [pid]);
  await admin.end();
  const failures = (await settled).flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  expect(failures.length).toBeGreaterThan(0);
  expect(failures.every(isDatabaseUnavailable)).toBe(true);
  expect(await backend(db)).not.toBe(pid);
});
