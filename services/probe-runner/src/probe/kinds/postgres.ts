import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Socket } from "node:net";
// oxlint-disable-next-line no-restricted-imports -- it is what is checked, not where something is kept
import pg from "pg";
import { closedSilently } from "../failures.ts";
import { validMessages } from "../postgres/messages.ts";
import { types } from "../postgres/values.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import { runSession, serverOfCheck, type ServerSession, type SessionServer } from "../session.ts";
import {
  compileSql,
  judgeRow,
  onlyWithTls,
  type SqlErrorKind,
  sqlFailure,
  type SqlQuery,
  statementMs,
  unsupportedLogin,
  writesFiles,
} from "../sql.ts";

export interface PostgresTarget extends AnyTarget<"postgres">, SessionServer, SqlQuery {}

export const probe: Probe<"postgres", PostgresTarget> = { compile: compilePostgres, run: probePostgres };

function compilePostgres(check: CheckOf<"postgres">): PostgresTarget {
  return { kind: "postgres", ...serverOfCheck(check, "postgres"), ...compileSql(check) };
}

/** Logs in, runs the query in a read-only transaction, and judges the first row. */
function probePostgres(target: PostgresTarget, ctx: ProbeContext) {
  const startedMs = ctx.clock.elapsedMs();
  return runSession(target, ctx, async (session) => {
    const found = await speak(target, ctx, session);
    return "row" in found ? judgeRow(found.row, target, ctx, ctx.clock.elapsedMs() - startedMs) : found.failure;
  });
}

type Row = Record<string, unknown>;

async function speak(
  { username, password = "", database = username, query }: PostgresTarget,
  ctx: ProbeContext,
  { socket, readBy, quote }: ServerSession,
): Promise<{ row: Row | undefined } | { failure: ProbeFailure }> {
  if (writesFiles(query)) return { failure: sqlFailure("readOnly", "", database, quote) };
  readBy(validMessages(quote));
  const client = new pg.Client({
    stream: () => opened(socket),
    ssl: false,
    user: username,
    // As a function: for an empty password the library would fall back to the runner's environment.
    password: () => password,
    database,
    application_name: "Sonde",
    types,
  });
  // Ignore errors after the end of the check.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${statementMs(ctx)}`);
    return { row: await firstRowOf(client, query) };
  } catch (error) {
    const { code, message, severity } = error as { code?: string; message: string; severity?: string };
    // From pg_hba.conf, whose entries may require TLS.
    if (code === "28000" && message.endsWith("no encryption")) return { failure: onlyWithTls };
    if (severity !== undefined)
      return { failure: sqlFailure(failures[code ?? ""] ?? "other", message, database, quote) };
    if (message.startsWith("Connection terminated")) return { failure: closedSilently };
    if (message.startsWith("SASL") && password === "") {
      return { failure: { kind: "status", message: "The server requires a password" } };
    }
    if (message.startsWith("SASL: Only mechanism")) return { failure: unsupportedLogin("SASL") };
    throw error;
  } finally {
    client.end().catch(() => {});
  }
}

const failures: Readonly<Record<string, SqlErrorKind>> = {
  "28P01": "login",
  "28000": "login",
  "3D000": "database",
  "25006": "readOnly",
  "57014": "slow",
};

/** The library expects to connect the socket itself, but this one is already connected. */
function opened(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit("connect"));
      return socket;
    },
  });
}

/** Uses the extended protocol, which allows only one statement, and requests only the first row. */
class FirstRow extends pg.Query<Row> {
  constructor(text: string) {
    super({ text, rows: 1 } as pg.QueryConfig);
  }

  handlePortalSuspended(connection: { sync(): void }) {
    connection.sync();
  }
}

function firstRowOf(client: pg.Client, text: string): Promise<Row | undefined> {
  return new Promise((resolve, reject) => {
    let row: Row | undefined;
    const query = client.query(new FirstRow(text));
    query.on("row", (found) => (row ??= found));
    query.on("error", reject);
    query.on("end", () => resolve(row));
  });
}
