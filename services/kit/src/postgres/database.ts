import { setTimeout as sleep } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { memoize } from "../cache.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../service/log.ts";
import { reportWait, untilReady } from "../service/waiting.ts";
import { gauge } from "../telemetry/metrics.ts";

export type Database = Knex;
/** Run in the order of their names. Never edit one that was released. */
export type Migrations = Readonly<Record<string, { up(trx: Knex.Transaction): Promise<unknown> }>>;
export const sqlMigration = (statements: string) => ({
  up: (trx: Database): Promise<unknown> => trx.raw(statements),
});

export type DatabaseOptions = {
  url: string;
  /** Created if missing; the only one on the search path. */
  schema: string;
  migrations: Migrations;
  log: Log;
  poolSize?: number;
  /** Reads and writes `created_at_ms` as `createdAtMs`. Does not affect raw SQL, `pluck` and keys within JSON. */
  camelCase?: boolean;
  /**
   * If the login is rejected or rights are missing: `fail` (default) for someone who has just started this, `wait` if
   * roles are created elsewhere.
   */
  whenRefused?: "wait" | "fail";
};

const migrated = gauge("sonde_database_migrations", "Migrations applied to a schema", ["schema"]);
const connectMs = 3_000;
/** Longer than `connectMs`, so that callers receive the reason. */
const acquireMs = connectMs + 500;
const aliveMs = 2_000;
const statementMs = 15_000;
const growAfterMs = 20;
const shrinkAfterMs = 30_000;
const int8Oid = 20;

/**
 * Waits until the server is available. `bigint` is read as a number (ids and epoch milliseconds are far below 2^53).
 * @throws the server's error if a migration fails, or the login is rejected and `whenRefused` is `fail`
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, schema, migrations, log, poolSize = 8, camelCase = false, whenRefused = "fail" } = options;
  if (!/^[a-z_]+$/.test(schema)) throw new Error(`${schema} is not a valid schema name`);
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
  const waitsFor = (thrown: unknown) =>
    whenRefused === "wait"
      ? isDatabaseUnavailable(thrown) || mayNotDo(thrown)
      : isDatabaseUnavailable(thrown) && !isRefused(thrown);
  const wait = reportWait(log, `PostgreSQL at ${addressOf(url)}`);
  await untilReady(wait, () => migrate(connection, schema, migrations, log), { waitsFor });
  const db = knex({
    ...commonConfig(connection, schema, log),
    // The default checks every second, and would wake an idle process.
    pool: { min: 0, max: poolSize, reapIntervalMillis: 10_000 },
    // Otherwise errors, and thus the log, contain the values: hashes, tokens, sealed secrets.
    compileSqlOnError: false,
    ...(camelCase ? caseOfNames : {}),
  });
  growWhenBusy(db);
  return db;
}

type Pool = { numUsed(): number; numPendingAcquires(): number; on(event: "release", run: () => void): void };

/**
 * Limits the pool to one connection. Each query that waits `growAfterMs` raises the limit; after `shrinkAfterMs`
 * without a wait it drops back. Otherwise polls, which run at the same instant, each open and keep a connection:
 * PostgreSQL then has 16 to 19 processes and 25 to 29 MiB of anonymous memory when idle, instead of 11 and 14 MiB. With
 * 500 monitors every 20 s it has 36 MiB instead of 19, and twice the CPU time.
 */
function growWhenBusy({ client }: Database): void {
  const pool = client.pool as Pool;
  const acquire = client.acquireConnection.bind(client);
  const waiting = new Set<() => void>();
  let maxInUse = 1;
  let grownAtMs = 0;
  pool.on("release", () => waiting.values().next().value?.());
  const waitForTurn = () =>
    new Promise<void>((resolve) => {
      const proceed = () => {
        clearTimeout(timer);
        waiting.delete(proceed);
        resolve();
      };
      const timer = setTimeout(() => {
        maxInUse++;
        grownAtMs = performance.now();
        proceed();
      }, growAfterMs);
      waiting.add(proceed);
    });
  client.acquireConnection = async () => {
    if (performance.now() - grownAtMs > shrinkAfterMs) maxInUse = 1;
    if (waiting.size > 0 || pool.numUsed() + pool.numPendingAcquires() >= maxInUse) await waitForTurn();
    return acquire();
  };
}

function commonConfig(connection: Knex.PgConnectionConfig, schema: string, log: Log): Knex.Config {
  // Callers receive failed connections as errors anyway.
  const print = (text: unknown) => log.debug({ text: String(text) }, "knex");
  return {
    client: "pg",
    connection,
    searchPath: [schema],
    acquireConnectionTimeout: acquireMs,
    log: { warn: print, error: print },
  };
}

/** Names only come from code, so the cache stays small. */
const snakeOf = memoize((name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), 5_000);
const camelOf = memoize(
  (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  5_000,
);

const caseOfNames: Pick<Knex.Config, "wrapIdentifier" | "postProcessResponse"> = {
  wrapIdentifier: (name, wrap) => wrap(name === "*" ? name : snakeOf(name)),
  postProcessResponse: (response: unknown) => {
    if (Array.isArray(response)) return response.map(camelRow);
    if (typeof response === "object" && response !== null && "rows" in response && Array.isArray(response.rows)) {
      return { ...response, rows: response.rows.map(camelRow) };
    }
    return camelRow(response);
  },
};

/** For JSON that PostgreSQL reads as rows. */
export const snakeRow = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeOf(name), value]));

/** Leaves other values (plucked ones, row counts) unchanged. */
function camelRow(row: unknown): unknown {
  if (typeof row !== "object" || row === null || Array.isArray(row) || row instanceof Date || Buffer.isBuffer(row))
    return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camelOf(name), value]));
}

/** Without credentials. The folder of a socket may be in the query. */
function addressOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return hostname === "" ? (searchParams.get("host") ?? "its socket") : `${hostname}:${port || 5432}`;
}

export async function databaseAlive(db: Database): Promise<boolean> {
  const alive = db.raw("select 1").timeout(aliveMs);
  // Knex's timeout starts only after a connection was acquired.
  const late = sleep(aliveMs, false, { ref: false });
  return Promise.race([alive.then(() => true), late]).catch(() => false);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection errors, shutdown, lack of resources,
// system errors, timeouts, a replica that is still read-only, deadlocks. Also rejected logins: the role, password or
// database may be created later.
const unavailableStates = /^(?:08...|57P0[1-5]|57014|53...|58...|25006|25P0[34]|40001|40P01|55P03|28P01|28000|3D000)$/;
const refusedStates = /^(?:28P01|28000|3D000)$/;
const insufficientPrivilege = "42501";
const unavailableCodes = new Set([
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "EPIPE",
]);
// Errors of pg, knex and tarn that have no code.
const unavailableWords = new RegExp(
  [
    "^timeout expired$", // pg: the server takes the connection, but does not greet
    "timeout exceeded when trying to connect",
    "Query read timeout",
    "Connection terminated",
    "Client was closed",
    "has encountered a connection error",
    "error establishing an SSL connection",
    "Timeout acquiring a connection",
    "Defined query timeout of",
    "^operation timed out", // tarn, knex's pool
  ].join("|"),
);

/** True if the same query may succeed later. */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError) return thrown.errors.some(isDatabaseUnavailable);
  const code = codeOf(thrown);
  return (
    unavailableCodes.has(code) ||
    unavailableStates.test(code) ||
    unavailableWords.test(thrown.message) ||
    isDatabaseUnavailable(thrown.cause)
  );
}

const codeOf = (thrown: unknown) =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
const isRefused = (thrown: unknown) => refusedStates.test(codeOf(thrown));
/** During setup, a role may be able to log in before it owns its schema. */
const mayNotDo = (thrown: unknown) => codeOf(thrown) === insufficientPrivilege;

export const explainUnavailable = (thrown: unknown): unknown =>
  isDatabaseUnavailable(thrown) ? unavailable("database", thrown) : thrown;

/** For work outside a bus call, whose errors are not explained otherwise. */
export async function orUnavailable<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (thrown) {
    throw explainUnavailable(thrown);
  }
}

/** Logs each reason once. @throws errors that are not an outage */
export const retryUntilReady = <Answer>(log: Log, run: () => Promise<Answer>): Promise<Answer> =>
  untilReady(reportWait(log, "PostgreSQL"), run, { waitsFor: isDatabaseUnavailable });

/** A killed process releases the advisory lock. Each migration is one transaction with its record. */
async function migrate(
  config: Knex.PgConnectionConfig,
  schema: string,
  migrations: Migrations,
  log: Log,
): Promise<void> {
  const db = knex({
    ...commonConfig({ ...config, statement_timeout: 0 }, schema, log),
    pool: { min: 0, max: 1 },
  });
  // A single connection, so that lock and migrations share a session.
  try {
    await db.raw("select pg_advisory_lock(hashtextextended(?, 0))", [`sonde migrations ${schema}`]);
    // Even `if not exists` needs the right to create schemas, which the owner of a schema may lack.
    const { rows } = await db.raw("select from pg_namespace where nspname = ?", [schema]);
    if (rows.length === 0) await db.raw("create schema if not exists ??", [schema]);
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
      done.add(name);
    }
    migrated.set({ schema }, done.size);
  } finally {
    await db.destroy();
  }
}
