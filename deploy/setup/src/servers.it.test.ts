import { randomUUID } from "node:crypto";
import { connectBus } from "@sonde/kit/bus/connect";
import { startNats } from "@sonde/embedded/nats";
import { openDatabase } from "@sonde/kit/postgres/database";
import { databaseRole } from "@sonde/kit/postgres/roles";
import { silentLog } from "@sonde/kit/service/log";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { buckets, streams } from "@sonde/proto/streams";
import pg from "pg";
import { afterEach, expect, inject, test } from "vitest";
import { prepareServers } from "./servers.ts";

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function database(): Promise<URL> {
  const admin = new pg.Client({ connectionString: inject("databaseUrl") });
  await admin.connect();
  const name = `setup_${randomUUID().slice(0, 8)}`;
  await admin.query(`create database ${name}`);
  undo.push(async () => {
    await admin.query(`drop database ${name} with (force)`);
    const roles = [...databaseServices.map(schemaOf), "backup"].map(databaseRole);
    for (const role of roles) await admin.query(`drop role if exists ${role}`);
    await admin.end();
  });
  const url = new URL(inject("databaseUrl"));
  url.pathname = `/${name}`;
  return url;
}

const variableOf = (service: string) => `DATABASE_PASSWORD_${service.toUpperCase().replaceAll("-", "_")}`;
const passwords = (suffix: string) =>
  Object.fromEntries(databaseServices.map((service) => [variableOf(service), `${service}-${suffix}`]));
const environmentFor = (ADMIN_DATABASE_URL: string, suffix: string) => ({
  ADMIN_DATABASE_URL,
  LOG_LEVEL: "silent",
  ...passwords(suffix),
});

async function login(url: URL, service: string, password: string): Promise<pg.Client> {
  const own = new URL(url);
  own.username = databaseRole(schemaOf(service as never));
  own.password = password;
  const client = new pg.Client({ connectionString: own.href });
  await client.connect();
  return client;
}

test("each service can log in with its password and create tables; a second run changes nothing", async () => {
  const url = await database();
  await prepareServers(environmentFor(url.href, "first"));
  for (const service of databaseServices) {
    const own = new URL(url);
    [own.username, own.password] = [databaseRole(schemaOf(service)), `${service}-first`];
    const migrations = {
      "001": { up: (trx: { raw: (sql: string) => Promise<unknown> }) => trx.raw("create table t ()") },
    };
    const db = await openDatabase({ url: own.href, schema: schemaOf(service), migrations, log: silentLog });
    await db.destroy();
  }
  await prepareServers(environmentFor(url.href, "first"));
  const client = await login(url, "auth", "auth-first");
  expect((await client.query("select * from auth.t")).rowCount).toBe(0);
  await expect(client.query("select * from monitors.t")).rejects.toThrow("permission denied");
  await client.end();

  await prepareServers(environmentFor(url.href, "second"));
  await expect(login(url, "auth", "auth-first")).rejects.toThrow("password authentication failed");
  await (await login(url, "auth", "auth-second")).end();
});

test("the backup role can read all schemas, including tables created later, but not write", async () => {
  const url = await database();
  const environment = { ...environmentFor(url.href, "first"), DATABASE_PASSWORD_BACKUP: "backup-first" };
  await prepareServers(environment);
  const owner = await login(url, "monitors", "monitors-first");
  await owner.query("create table monitors.t (id serial)");
  const reader = await login(url, "backup", "backup-first");
  expect((await reader.query("select last_value from monitors.t_id_seq, monitors.t")).rowCount).toBe(0);
  await expect(reader.query("insert into monitors.t default values")).rejects.toThrow("permission denied");
  await expect(reader.query("create table monitors.mine ()")).rejects.toThrow("permission denied");
  await prepareServers(environment);
  await Promise.all([owner.end(), reader.end()]);
});

test("the error for a missing password names it, and no role is created", async () => {
  const url = await database();
  const environment = { ...environmentFor(url.href, "first"), DATABASE_PASSWORD_AUTH: "" };
  await expect(prepareServers(environment)).rejects.toThrow("ADMIN_DATABASE_URL also requires DATABASE_PASSWORD_AUTH");
  await expect(login(url, "monitors", "monitors-first")).rejects.toThrow("password authentication failed");
});

test("3 stream replicas on a single NATS server are rejected", async () => {
  const nats = await startNats({ password: "admin" });
  undo.push(() => nats.stop());
  const environment = { NATS_ADMIN_URL: nats.url, NATS_STREAM_REPLICAS: "3", LOG_LEVEL: "silent" };
  await expect(prepareServers(environment)).rejects.toThrow(/is a single server, .* not 3\. Set the number/);
});

test("creates all streams and buckets except definitions, and keeps existing data and other streams", async () => {
  const nats = await startNats({ password: "admin" });
  undo.push(() => nats.stop());
  const environment = { NATS_ADMIN_URL: nats.url, LOG_LEVEL: "silent" };
  await prepareServers(environment);
  const bus = await connectBus({ url: nats.url, name: "test", log: silentLog, streams: [], buckets: [] });
  undo.push(() => bus.close());
  await bus.jsm.streams.add({ name: "THEIRS", subjects: ["theirs"] });
  await (await bus.kv(buckets.monitors)).put("7", "kept");
  await bus.js.publish("results.1", "kept");
  await prepareServers(environment);
  const names = (await bus.jsm.streams.list().next()).map(({ config }) => config.name);
  expect(names.toSorted()).toEqual(
    [
      "THEIRS",
      ...Object.values(streams).map(({ name }) => name),
      // The monitors service creates the bucket `definitions`; runners wait for it.
      ...Object.values(buckets)
        .filter((bucket) => bucket !== buckets.definitions)
        .map((bucket) => `KV_${bucket}`),
    ].toSorted(),
  );
  expect((await (await bus.kv(buckets.monitors)).get("7"))?.string()).toBe("kept");
  expect((await bus.jsm.streams.info("RESULTS")).state.messages).toBe(1);
});
