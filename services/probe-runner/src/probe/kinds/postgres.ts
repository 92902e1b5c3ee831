import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Socket } from "node:net";
// oxlint-disable-next-line no-restricted-imports -- it is what is checked, not where something is kept
import pg from "pg";
import { closedSilently } from "../faults.ts";
import { validMessages } from "../postgres/messages.ts";
import { types } from "../postgres/values.ts";
import type { AnyTarget, Fault, Probe, ProbeContext } from "../probe.ts";
import { runSession, serverOfCheck, type ServerSession, type SessionServer } from "../session.ts";
import {
  compileSql,
  judgeRow,
  onlyWithTls,
  type SqlFailure,
  sqlFault,
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

/** Logs in, carries out the query in a transaction that may only read, and judges the first row. Never rejects. */
function probePostgres(target: PostgresTarget, ctx: ProbeContext) {
  const startedMs = ctx.clock.elapsedMs();
  return runSession(target, ctx, async (session) => {
    const found = await speak(target, ctx, session);
    return "row" in found ? judgeRow(found.row, target, ctx, ctx.clock.elapsedMs() - startedMs) : found.fault;
  });
}

type Row = Record<string, unknown>;

async function speak(
  { username, password = "", database = username, query }: PostgresTarget,
  ctx: ProbeContext,
  { socket, readBy, quote }: ServerSession,
): Promise<{ row: Row | undefined } | { fault: Fault }> {
  if (writesFiles(query)) return { fault: sqlFault("readOnly", "", database, quote) };
  readBy(validMessages(quote));
  const client = new pg.Client({
    stream: () => opened(socket),
    ssl: false,
    user: username,
    // As a function: the library would take an empty one from the runner's environment.
    password: () => password,
    database,
    application_name: "Sonde",
    types,
  });
  // What comes after the end is of no interest.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${statementMs(ctx)}`);
    return { row: await firstRowOf(client, query) };
  } catch (error) {
    const { code, message, severity } = error as { code?: string; message: string; severity?: string };
    // From pg_hba.conf, whose entries may require TLS.
    if (code === "28000" && message.endsWith("no encryption")) return { fault: onlyWithTls };
    if (severity !== undefined) return { fault: sqlFault(failures[code ?? ""] ?? "other", message, database, quote) };
    if (message.startsWith("Connection terminated")) return { fault: closedSilently };
    if (message.startsWith("SASL") && password === "") {
      return { fault: { kind: "status", message: "The server requires a password" } };
    }
    if (message.startsWith("SASL: Only mechanism")) return { fault: unsupportedLogin("SASL") };
    throw error;
  } finally {
    client.end().catch(() => {});
  }
}

const failures: Readonly<Record<string, SqlFailure>> = {
  "28P01": "login",
  "28000": "login",
  "3D000": "database",
  "25006": "readOnly",
  "57014": "slow",
};

/** The library connects by itself; this socket is connected. */
function opened(socket: Socket): Socket {
  return Object.assign(socket, {
    connect() {
      process.nextTick(() => socket.emit("connect"));
      return socket;
    },
  });
}

/** A query by the extended protocol, which takes one statement alone, of whose rows the first is asked for. */
class FirstRow extends pg.Query<Row> {
  constructor(text: string) {
    super({ text, rows: 1 } as pg.QueryConfig);
  }

  /** There are more rows: they stay where they are. */
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
