import { setTimeout as sleep } from "node:timers/promises";
import knex, { type Knex } from "knex";
import pg from "pg";
import { remembered } from "../cache.ts";
import { unavailable } from "../errors.ts";
import type { Log } from "../service/log.ts";
import { reportWait, untilReady } from "../service/waiting.ts";
import { gauge } from "../telemetry/metrics.ts";

export type Database = Knex;
/** Migrations by name, run in order of their names; one that shipped is never edited. */
export type Migrations = Readonly<Record<string, { up(trx: Knex.Transaction): Promise<unknown> }>>;
/** A migration of statements only. */
export const sqlMigration = (statements: string) => ({
  up: (trx: Database): Promise<unknown> => trx.raw(statements),
});

export type DatabaseOptions = {
  url: string;
  /** The service's own schema: made when missing, and the only one on its search path. */
  schema: string;
  migrations: Migrations;
  log: Log;
  /** Connections at most. */
  poolSize?: number;
  /**
   * Rows have the names of the domain's types: `created_at_ms` is read and written as `createdAtMs`. Raw SQL, what `pluck`
   * is given and the keys within JSON keep theirs.
   */
  camelCase?: boolean;
  /**
   * What to do where the server refuses us, our role or its rights: `fail` (the default) where a person has just
   * started this and reads why, `wait` where something else makes roles and passwords in its own time.
   */
  whenRefused?: "wait" | "fail";
};

const migrated = gauge("sonde_database_migrations", "Migrations applied to a schema", ["schema"]);
const connectMs = 3_000;
/** Longer than `connectMs`, so that the caller gets the reason why no connection was made. */
const acquireMs = connectMs + 500;
/** How long a readiness check waits for an answer. */
const aliveMs = 2_000;
const statementMs = 15_000;
const growAfterMs = 20;
const shrinkAfterMs = 30_000;
const int8Oid = 20;

/**
 * Opens a service's schema and migrates it. Waits for a server that is not there yet and logs that; `bigint` is read as
 * a number (ids and epoch milliseconds are far below 2^53).
 * @throws the server's error when a migration fails, or when it refuses us (password, unknown database) and
 * `whenRefused` is `fail`.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, schema, migrations, log, poolSize = 8, camelCase = false, whenRefused = "fail" } = options;
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
  const waitsFor = (thrown: unknown) =>
    whenRefused === "wait"
      ? isDatabaseUnavailable(thrown) || mayNotDo(thrown)
      : isDatabaseUnavailable(thrown) && !isRefused(thrown);
  const wait = reportWait(log, `PostgreSQL at ${addressOf(url)}`);
  await untilReady(wait, () => migrate(connection, schema, migrations, log), { waitsFor });
  const db = knex({
    ...commonConfig(connection, schema, log),
    // Idle connections are looked for less often than each second: an idle process would wake for that alone.
    pool: { min: 0, max: poolSize, reapIntervalMillis: 10_000 },
    // Else a failed statement's error, and so the log, holds its values: hashes, tokens, sealed secrets.
    compileSqlOnError: false,
    ...(camelCase ? caseOfNames : {}),
  });
  growWhenBusy(db);
  return db;
}

/** The part of knex's pool (tarn) that `growWhenBusy` needs. */
type Pool = { numUsed(): number; numPendingAcquires(): number; on(event: "release", run: () => void): void };

/**
 * Limits the pool to one connection. Each query that waits `growAfterMs` raises the limit by one; after `shrinkAfterMs`
 * without such a wait it is one again. Otherwise the pool opens and keeps a connection for each poll of a process, since
 * they run at the same instant: PostgreSQL then has 16 to 19 processes and 25 to 29 MiB of anonymous memory when idle,
 * instead of 11 and 14 MiB. With 500 monitors every 20 s it has 36 MiB instead of 19, and twice the CPU time.
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
  // Knex prints each failed connection; the caller gets the same as an error.
  const print = (text: unknown) => log.debug({ text: String(text) }, "knex");
  return {
    client: "pg",
    connection,
    searchPath: [schema],
    acquireConnectionTimeout: acquireMs,
    log: { warn: print, error: print },
  };
}

/** `createdAtMs` → `created_at_ms`; names come from code alone, so that there are few of them. */
const snakeOf = remembered((name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), 5_000);
/** `created_at_ms` → `createdAtMs` */
const camelOf = remembered(
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

/** A row with the columns' own names, for JSON that PostgreSQL reads as rows. */
export const snakeRow = (row: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [snakeOf(name), value]));

/** A row with camel-case names; what is no row (a plucked value, a count of rows) stays as it is. */
function camelRow(row: unknown): unknown {
  if (typeof row !== "object" || row === null || Array.isArray(row) || row instanceof Date || Buffer.isBuffer(row))
    return row;
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [camelOf(name), value]));
}

/** Without user and password; a socket's folder may be in the query. */
function addressOf(url: string): string {
  const { hostname, port, searchParams } = new URL(url);
  return hostname === "" ? (searchParams.get("host") ?? "its socket") : `${hostname}:${port || 5432}`;
}

/** Whether the database answers within two seconds. */
export async function databaseAlive(db: Database): Promise<boolean> {
  const asked = db.raw("select 1").timeout(aliveMs);
  // Knex's own limit begins only once there is a connection.
  const late = sleep(aliveMs, false, { ref: false });
  return Promise.race([asked.then(() => true), late]).catch(() => false);
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: connection faults, shutting down, no resources, its
// system's faults, a statement or a transaction that took too long, a replica that takes no writes yet, two that waited
// for each other. And a login that is refused: the role, its password or the database may not be there yet.
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
// Errors of pg (client, pool), knex and its pool that have only a message, without a code.
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

/** Whether a query failed because the server is unavailable or refuses us, so that the same query may work later. */
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
/** While roles are made, one may already log in but not yet own its schema. */
const mayNotDo = (thrown: unknown) => codeOf(thrown) === insufficientPrivilege;

/** The error for callers: `unavailable` (503) if the database is, instead of an internal error. */
export const explainUnavailable = (thrown: unknown): unknown =>
  isDatabaseUnavailable(thrown) ? unavailable("database", thrown) : thrown;

/** Runs what is no call of the bus, whose errors `explainUnavailable` gets anyway, with its errors explained. */
export async function orUnavailable<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (thrown) {
    throw explainUnavailable(thrown);
  }
}

/**
 * Runs a step of a start, and again as long as it fails because the database is unavailable, which is logged once for
 * each reason. @throws errors of other kinds
 */
export const retryUntilReady = <Answer>(log: Log, run: () => Promise<Answer>): Promise<Answer> =>
  untilReady(reportWait(log, "PostgreSQL"), run, { waitsFor: isDatabaseUnavailable });

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
    ...commonConfig({ ...config, statement_timeout: 0 }, schema, log),
    pool: { min: 0, max: 1 },
  });
  // The pool has one connection, so that the lock, the work and its end share a session.
  try {
    await db.raw("select pg_advisory_lock(hashtextextended(?, 0))", [`sonde migrations ${schema}`]);
    // Even `if not exists` needs the right to make schemas, which a service that owns its schema does not have.
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
