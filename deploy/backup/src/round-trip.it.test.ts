import type { EmbeddedServer } from "@sonde/embedded/nats";
import { startPostgres } from "@sonde/embedded/postgres";
import { openDatabase, type Migrations } from "@sonde/kit/postgres/database";
import { openReader, openRoles } from "@sonde/kit/postgres/roles";
import { silentLog } from "@sonde/kit/service/log";
import { engineSource, serverSource } from "@sonde/metrics/backup/sources";
import type { HistoryPart, HistorySource } from "@sonde/metrics/backup/parts";
import { type HistoryTarget, knownMigrations, openTarget } from "@sonde/metrics/backup/target";
import { startEngine } from "@sonde/metrics/clickhouse/embedded";
import { migrate } from "@sonde/metrics/clickhouse/migrate";
import { type ClickHouse, openClickHouse } from "@sonde/metrics/clickhouse/open";
import { applyRetention } from "@sonde/metrics/clickhouse/retention";
import { rowsOf } from "@sonde/metrics/clickhouse/rows";
import { deleteRowsOf } from "@sonde/metrics/timelines/deletion";
import { serveClickHouse } from "@sonde/metrics/testing/http-clickhouse";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { zstdCompressSync } from "node:zlib";
import pg from "pg";
import { extract, pack } from "tar-stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Manifest, manifestName, readHistoryName } from "./archive/manifest.ts";
import { backUp } from "./back-up.ts";
import { openDestination } from "./destinations/open.ts";
import { readSchema } from "./postgres/catalog.ts";
import { fingerprintsOfMaster } from "./key.ts";
import type { OwnerUrls } from "./postgres/import.ts";
import { checkArchive, checkEmpty, restore } from "./restore.ts";

// Restores from an embedded ClickHouse to a server and back, to cover both shapes in both directions.
const master = randomBytes(32).toString("base64");
// Not shared with other tests, because roles belong to the whole server.
let postgres: EmbeddedServer;
let admin: string;
let folder: string;
let sourceUrl: string;
let readerUrl: string;

async function newDatabase(): Promise<string> {
  const name = `backup_${randomBytes(6).toString("hex")}`;
  await query(admin, `create database ${name}`);
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const openAll = async (url: string): Promise<OwnerUrls> => {
  const urls = await openRoles(url, databaseServices.map(schemaOf));
  return Object.fromEntries(databaseServices.map((service) => [service, urls.get(schemaOf(service))])) as OwnerUrls;
};

async function readerOf(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  [url.username, url.password] = [`reader_${url.pathname.slice(1)}`, randomBytes(12).toString("hex")];
  await openReader(databaseUrl, url.username, url.password, databaseServices.map(schemaOf));
  return url.href;
}

const awkward = `back\\slash, "quotes", ta\tb, new\nline, \\N, 中文`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sonde-backup-"));
  await chmod(folder, 0o711); // When tests run as root, PostgreSQL runs as another user, which needs access.
  postgres = await startPostgres({ dataDir: join(folder, "postgres"), durable: false });
  admin = postgres.url;
  sourceUrl = await newDatabase();
  const urls = await openAll(sourceUrl);
  // As in a cluster, the role exists before the services create their tables.
  readerUrl = await readerOf(sourceUrl);
  for (const [service, url] of Object.entries(urls)) {
    const { migrations } = (await import(`@sonde/${service}/migrations`)) as { migrations: Migrations };
    const schema = schemaOf(service as keyof OwnerUrls);
    await (await openDatabase({ url, schema, migrations, log: silentLog })).destroy();
  }
  await query(
    sourceUrl,
    `create table auth.audit_1970_01 partition of auth.audit for values from (0) to (1738368000000)`,
  );
  await query(
    sourceUrl,
    `insert into auth.audit (id, at_ms, username, request_id, action, target_type, target_id, target_name, changes, is_cut)
     values (gen_random_uuid(), 1735689600001, $1, 'r', 'create', 'monitor', '1', $1, $2, false)`,
    [awkward, JSON.stringify({ name: [null, awkward] })],
  );
  await fillEveryTable(sourceUrl);
  await query(sourceUrl, "select setval('monitors.monitors_id_seq', 41)");
});

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

const valuesOf: Record<string, string> = {
  bigint: "7",
  integer: "7",
  smallint: "7",
  "double precision": "0.1",
  boolean: "true",
  text: `'${awkward.replaceAll("'", "''")}'`,
  uuid: "'01234567-89ab-cdef-0123-456789abcdef'",
  bytea: "'\\x00ff0a'",
  json: `'{"a": "\\\\ 中"}'`,
  jsonb: `'{"a": null}'`,
  "timestamp with time zone": "'2026-11-01 12:00:00.123456+00'",
  "text[]": `array['a,b', null, '"']`,
  "bigint[]": "array[7, null]",
  "integer[]": "array[7]",
};
type Column = { column: string; type: string; allowed: string | null };

/** Inserts a row into every table. Equal values in all tables satisfy the foreign keys. */
async function fillEveryTable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const schema of databaseServices.map(schemaOf)) {
    for (const { name } of (await readSchema(client, schema)).tables) {
      const place = `${schema}.${name}`;
      const { rows } = await client.query<Column>(columnsQuery, [place]);
      // An outbox row is for either a stream or a bucket.
      const columns = rows.filter(({ column }) => name !== "outbox" || !["bucket", "key"].includes(column));
      const values = columns.map(
        ({ type, allowed }) => allowed ?? valuesOf[type] ?? expect.fail(`no value of ${type}`),
      );
      const names = columns.map(({ column }) => `"${column}"`);
      const row = `(${names.join()}) overriding system value values (${values.join()})`;
      await client.query(`insert into ${place} ${row} on conflict do nothing`);
    }
  }
  await client.end();
}

/** Columns that accept a value, with the first allowed one if a check constraint lists values. */
const columnsQuery = `
  select a.attname as column, format_type(a.atttypid, null) as type,
    (select (regexp_match(pg_get_constraintdef(c.oid), '''[^'']*'''))[1] from pg_constraint c
      where c.conrelid = a.attrelid and c.contype = 'c' and a.attnum = any(c.conkey) and a.atttypid = 'text'::regtype
        and pg_get_constraintdef(c.oid) like '%= ANY%' limit 1) as allowed
  from pg_attribute a
  where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''`;

type Deletion = (client: ClickHouse["writer"]) => Promise<unknown>;

/** Fills all tables over two days, with a failed check and a duplicate one, then applies `remove`. */
async function fill(dataDir: string, remove: Deletion = async () => {}): Promise<HistorySource> {
  const clickhouse = await openClickHouse({ dataDir });
  await migrate(clickhouse.writer, silentLog);
  const run = (sql: string) => clickhouse.writer.command({ query: sql });
  const check = `toDateTime64('2026-11-01 23:59:00', 3, 'UTC') + number * 60 AS slot, number = 1 AS manual, 5 AS lateness, number != 3 AS up, 'it\\'s down' AS error`;
  const checks =
    "INSERT INTO checks (monitor_id, location, slot, manual, lateness, up, error) SELECT 7 AS monitor_id, 'default' AS location,";
  await run(`${checks} ${check} FROM numbers(5)`);
  await run(`${checks} ${check} FROM numbers(1)`);
  await run(
    `INSERT INTO samples (agent_id, boot, sequence, at, cpu, disks, disk_usage, receive_rate) VALUES (3, 1, 1, '2026-11-01 00:00:00', NULL, ['/'], [500], [NULL, 7])`,
  );
  await run(
    `INSERT INTO check_hours (monitor_id, hour, seen, counts, revision) VALUES (7, '2026-11-01 23:00:00', 60, [1, 2], 1)`,
  );
  await run(`INSERT INTO touched_hours VALUES ('2026-11-02 00:00:00', generateUUIDv4())`);
  await run(`INSERT INTO evidence VALUES (7, '2026-11-02 00:02:00', 'default', '{"body":"gone"}')`);
  await run(`INSERT INTO paths VALUES (7, '2026-11-02 00:02:03', 'default', '192.0.2.1', false, '[]')`);
  await run(
    `INSERT INTO pings (monitor_id, at, id, type, output) VALUES (8, '2026-11-02 00:00:00', 'a', 'success', 'copied')`,
  );
  await remove(clickhouse.writer);
  const source = await engineSource(await clickhouse.connectExtra!(), join(folder, "parts"));
  return { ...source, close: async () => (await source.close(), clickhouse.close()) };
}

async function archiveOf(databaseUrl: string, history: HistorySource, shape: Manifest["shape"]): Promise<string> {
  const file = join(folder, `${shape}.tar`);
  await rm(file, { force: true });
  await backUp(backupOf(databaseUrl, history, shape), await openDestination(file));
  return file;
}

const backupOf = (databaseUrl: string, history: HistorySource, shape: Manifest["shape"]) => ({
  databaseUrl,
  history,
  version: "0.1.0",
  shape,
  keyFingerprints: fingerprintsOfMaster(master),
});

async function restoreFrom(file: string, target: HistoryTarget): Promise<string> {
  const url = await newDatabase();
  const urls = await openAll(url);
  const archive = await checkArchive(file, { master });
  try {
    await checkEmpty(urls, target);
    await restore(archive, urls, target);
    await expect(checkEmpty(urls, target)).rejects.toThrow(/requires an empty installation/);
  } finally {
    await target.close();
  }
  return url;
}

async function everyRow(url: string): Promise<Record<string, unknown[]>> {
  const tables = await query<{ place: string }>(
    url,
    `select format('%I.%I', table_schema, table_name) as place from information_schema.tables
     where table_schema = any($1) and table_type = 'BASE TABLE' and table_name <> 'migrations' order by 1`,
    [databaseServices.map(schemaOf)],
  );
  const rows: Record<string, unknown[]> = {};
  for (const { place } of tables)
    rows[place] = (await query(url, `select t::text from ${place} t order by 1`)).map((row) => row["t"]);
  return rows;
}

const rowsIn = async (file: string) =>
  Object.fromEntries(
    (await checkArchive(file, { master })).manifest.parts.map(({ name, rows }) => [name, rows.atLeast]),
  );

test("an archive of each shape can be restored in the other", async () => {
  const first = await archiveOf(readerUrl, await fill(join(folder, "first")), "all-in-one");
  const counts = await rowsIn(first);
  expect(counts).toMatchObject({
    "postgres/auth/audit.copy.zst": 2,
    "clickhouse/checks/20261101.native.zst": 1,
    "clickhouse/checks/20261102.native.zst": 4,
    "clickhouse/failed_checks/20261102.native.zst": 1,
  });

  expect(Object.keys(counts).filter((name) => counts[name] === 0)).toEqual([]);

  const engine = await startEngine(join(folder, "second"));
  const server = await serveClickHouse(engine, 0, { account: { user: "sonde", password: "p" } });
  const address = `http://sonde:p@127.0.0.1:${server.port}/history`;
  const middle = await restoreFrom(first, await openTarget({ url: address }, join(folder, "restoring")));
  expect(await everyRow(middle)).toEqual(await everyRow(sourceUrl));
  const second = await archiveOf(await readerOf(middle), serverSource(address), "distributed");
  expect(await rowsIn(second)).toEqual(counts);
  await server.stop();
  engine.close();

  const place = { dataDir: join(folder, "third") };
  const last = await restoreFrom(second, await openTarget(place, join(folder, "restoring")));
  expect(await everyRow(last)).toEqual(await everyRow(sourceUrl));
  const [{ id } = { id: "" }] = await query<{ id: string }>(
    last,
    "select nextval('monitors.monitors_id_seq')::text as id",
  );
  expect(id).toBe("42");

  const clickhouse = await openClickHouse(place);
  const read = (sql: string) => rowsOf(clickhouse.reader, sql);
  // The restore suspends materialised views and creates them again.
  expect(await read("SELECT toUInt32(count()) AS rows FROM failed_checks")).toEqual([{ rows: 1 }]);
  await clickhouse.writer.command({
    query: "INSERT INTO checks (monitor_id, location, slot, up) VALUES (9, 'default', '2026-11-02 10:00:00', false)",
  });
  expect(await read("SELECT toUInt32(count()) AS rows FROM failed_checks")).toEqual([{ rows: 2 }]);
  expect(await read("SELECT cpu, disks, receive_rate, disk_inodes FROM samples")).toEqual([
    { cpu: null, disks: ["/"], receive_rate: [null, 7], disk_inodes: [null] },
  ]);
  expect(await read("SELECT found FROM evidence")).toEqual([{ found: '{"body":"gone"}' }]);
  expect(await read("SELECT DISTINCT error FROM checks WHERE monitor_id = 7")).toEqual([{ error: "it's down" }]);
  await clickhouse.close();
  expect((await readdir(folder)).filter((name) => name.startsWith("parts") || name.startsWith("restoring"))).toEqual(
    [],
  );
});

// One test for several deletions, because a process can open only a few engines.
test("a backup after deleting monitors, agents and computed hours has no empty part", async () => {
  const source = await fill(await mkdtemp(join(folder, "deleted-")), async (client) => {
    await deleteRowsOf("monitors")(client, [7, 8]);
    await deleteRowsOf("agents")(client, [3]);
    await client.command({ query: "DELETE FROM touched_hours WHERE true" });
  });
  const rows = await rowsIn(await archiveOf(readerUrl, source, "all-in-one"));
  expect(Object.keys(rows).filter(readHistoryName)).toEqual([]);
});

test("a backup after the history expired has no empty part", async () => {
  const source = await fill(await mkdtemp(join(folder, "expired-")), async (client) => {
    await applyRetention(client, { rawDays: 1, rollupDays: 1 });
    for (const table of ["checks", "check_hours", "pings"])
      await client.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  });
  const rows = await rowsIn(await archiveOf(readerUrl, source, "all-in-one"));
  expect(Object.keys(rows).filter((name) => readHistoryName(name) && rows[name] === 0)).toEqual([]);
});

test("an archive of an earlier version with an empty part can be restored", async () => {
  const file = join(folder, "empty-piece.tar");
  const empty = { body: Readable.from([zstdCompressSync("")]), rows: { atLeast: 0, atMost: 0 } };
  const source = await fill(await mkdtemp(join(folder, "deleted-")));
  const history = {
    ...source,
    read: (part: HistoryPart) => (part.table === "pings" ? Promise.resolve(empty) : source.read(part)),
  };
  await backUp(backupOf(readerUrl, history, "all-in-one"), await openDestination(file));
  const place = { dataDir: await mkdtemp(join(folder, "restored-")) };
  await expect(restoreFrom(file, await openTarget(place, join(folder, "restoring")))).resolves.toContain("postgresql:");
});

test("a backup of empty tables can be restored", async () => {
  const tables = Object.keys(await everyRow(sourceUrl));
  await query(sourceUrl, `truncate ${tables.join(", ")}`);
  const engine = await startEngine(await mkdtemp(join(folder, "restored-")));
  const server = await serveClickHouse(engine, 0, { account: { user: "sonde", password: "p" } });
  const address = (database: string) => `http://sonde:p@127.0.0.1:${server.port}/${database}`;
  const target = await openTarget({ url: address("first") }, join(folder, "restoring"));
  await target.isEmpty();
  await target.prepare(await knownMigrations());
  await target.finish();
  await target.close();
  const file = await archiveOf(readerUrl, serverSource(address("first")), "distributed");
  const restored = await restoreFrom(file, await openTarget({ url: address("second") }, join(folder, "restoring")));
  expect(Object.values(await everyRow(restored)).flat()).toEqual([]);
  await server.stop();
  engine.close();
});

async function withManifest(file: string, change: (manifest: Manifest) => void): Promise<string> {
  const [from, to] = [extract(), pack()];
  Readable.from([await readFile(file)]).pipe(from);
  for await (const entry of from) {
    let bytes = Buffer.concat(await Array.fromAsync(entry as AsyncIterable<Buffer>));
    if (entry.header.name === manifestName) {
      const manifest = JSON.parse(bytes.toString()) as Manifest;
      change(manifest);
      bytes = Buffer.from(JSON.stringify(manifest));
    }
    to.entry({ name: entry.header.name }, bytes);
  }
  to.finalize();
  const changed = join(folder, "changed.tar");
  await writeFile(changed, Buffer.concat(await Array.fromAsync(to as AsyncIterable<Buffer>)));
  return changed;
}

test("an archive with migrations that this version does not have is rejected", async () => {
  const file = join(folder, "all-in-one.tar");
  for (const change of [
    (manifest: Manifest) => manifest.schemas[0]!.migrations.push("999-later"),
    (manifest: Manifest) => manifest.history.migrations.push("999_later"),
    (manifest: Manifest) => manifest.schemas.push({ name: "later", migrations: [], tables: [], sequences: [] }),
  ]) {
    const changed = await withManifest(file, (manifest) => {
      manifest.version = "7.0.0";
      change(manifest);
    });
    await expect(checkArchive(changed, { master })).rejects.toThrow(/written by Sonde 7\.0\.0, which is newer/);
  }
});

test.each(["99.0.0", "1.0.1000", "1.1000.0-rc.1"])("an archive of version %s is rejected", async (version) => {
  const changed = await withManifest(join(folder, "all-in-one.tar"), (manifest) => (manifest.version = version));
  await expect(checkArchive(changed, { master })).rejects.toThrow(`written by Sonde ${version}, which is newer`);
});

test("the backup role cannot write", async () => {
  await expect(query(readerUrl, "delete from auth.users")).rejects.toMatchObject({ code: "42501" });
  await expect(query(readerUrl, "create table monitors.mine (id int)")).rejects.toMatchObject({ code: "42501" });
});

test("a role that cannot read every schema fails the backup and leaves no archive behind", async () => {
  const { auth } = await openAll(sourceUrl);
  const history: HistorySource = {
    contents: () => Promise.reject(new Error("not reached")),
    read: () => Promise.reject(new Error()),
    close: async () => {},
  };
  const file = join(folder, "none.tar");
  const backup = { databaseUrl: auth, history, version: "0.1.0", shape: "distributed" as const, keyFingerprints: [] };
  await expect(openDestination(file).then((to) => backUp(backup, to))).rejects.toThrow(
    /BACKUP_DATABASE_URL|that this role may see/,
  );
  expect((await readdir(folder)).filter((name) => name.includes("none"))).toEqual([]);
});
