import { setTimeout as sleep } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { unavailable } from "./errors.ts";
import type { Log } from "./log.ts";

export type Database = Knex;
/** Migrations by name, run in order of their names; one that shipped is never edited. */
export type Migrations = Readonly<Record<string, { up(trx: Knex.Transaction): Promise<unknown> }>>;

export type DatabaseOptions = {
  url: string;
  /** The service's own schema: made when missing, and the only one on its search path. */
  schema: string;
  migrations: Migrations;
  log: Log;
  /** Connections at most. */
  poolSize?: number;
};

const connectMs = 3_000;
const statementMs = 15_000;
const int8Oid = 20;

/**
 * Opens a service's schema and brings it up to date. Waits for a server that is not there yet and says so;
 * `bigint` is read as a number (ids and epoch milliseconds are far below 2^53).
 * @throws what the server says when it refuses us (password, unknown database) or a migration fails.
 */
export async function openDatabase({ url, schema, migrations, log, poolSize = 8 }: DatabaseOptions): Promise<Database> {
  if (!/^[a-z_]+$/.test(schema)) throw new Error(`${schema} is no name of a schema`);
  const connection: Knex.PgConnectionConfig = {
    connectionString: url,
    application_name: `sonde-${schema}`,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    statement_timeout: statementMs,
    types: {
      getTypeParser: (oid, format) =>
        oid === int8Oid ? Number : pg.types.getTypeParser(oid, format === "binary" ? "binary" : "text"),
    },
  };
  await untilReached(connection, schema, migrations, log);
  return knex({
    client: "pg",
    connection,
    searchPath: [schema],
    pool: { min: 0, max: poolSize },
    acquireConnectionTimeout: connectMs,
    // Else a failed statement's error, and so the log, holds its values: hashes, tokens, sealed secrets.
    compileSqlOnError: false,
    log: quietly(log),
  });
}

/** Knex prints each failed connection; whoever asked gets the same as an error. */
function quietly(log: Log): Knex.Logger {
  const say = (text: unknown) => log.debug({ text: String(text) }, "knex");
  return { warn: say, error: say };
}

/** Whether the database answers now. */
export async function databaseAlive(db: Database): Promise<boolean> {
  return db.raw("select 1").then(
    () => true,
    () => false,
  );
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection faults, shutting down, no resources, its
// system's faults, a statement that took too long, a replica that takes no writes yet, two that waited for each other.
const awayStates = /^(?:08...|57P0[1-5]|57014|53...|58...|25006|40001|40P01|55P03)$/;
const awayCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EPIPE",
  "EHOSTUNREACH",
]);
const awayWords =
  /Connection terminated|timeout exceeded when trying to connect|Timeout acquiring a connection|Client was closed/;

/** Whether a failed query failed because the server is away, so that the same query may work later. */
export function isDatabaseAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError) return thrown.errors.some(isDatabaseAway);
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  return awayCodes.has(code) || awayStates.test(code) || awayWords.test(thrown.message);
}

/** Runs a verb; where the database is away it fails as `unavailable` (503) instead of as a fault of ours. */
export async function orUnavailable<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (thrown) {
    throw isDatabaseAway(thrown) ? unavailable("database", thrown) : thrown;
  }
}

async function untilReached(
  config: Knex.PgConnectionConfig,
  schema: string,
  migrations: Migrations,
  log: Log,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await migrate(config, schema, migrations, log);
    } catch (thrown) {
      if (!isDatabaseAway(thrown)) throw thrown;
      if (attempt % 20 === 0) log.warn({ reason: (thrown as Error).message }, "waiting for PostgreSQL");
      await sleep(500);
    }
  }
}

/**
 * One session holds an advisory lock while it migrates: others wait, and a killed start frees the lock by its death.
 * Each migration is one transaction together with the record that it ran.
 */
async function migrate(
  config: Knex.PgConnectionConfig,
  schema: string,
  migrations: Migrations,
  log: Log,
): Promise<void> {
  const db = knex({
    client: "pg",
    connection: { ...config, statement_timeout: 0 },
    searchPath: [schema],
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: connectMs,
    log: quietly(log),
  });
  // The pool has one connection, so that the lock, the work and its end share a session.
  try {
    await db.raw("select pg_advisory_lock(hashtextextended(?, 0))", [`sonde migrations ${schema}`]);
    await db.raw("create schema if not exists ??", [schema]);
    await db.raw(
      "create table if not exists migrations (name text primary key, ran_at timestamptz not null default now())",
    );
    const done = new Set(await db("migrations").pluck<string[]>("name"));
    for (const name of Object.keys(migrations).sort()) {
      if (done.has(name)) continue;
      await db.transaction(async (trx) => {
        await migrations[name]?.up(trx);
        await trx("migrations").insert({ name });
      });
      log.info({ migration: name }, "migrated");
    }
  } finally {
    await db.destroy();
  }
}
