import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Socket } from "node:net";
// oxlint-disable-next-line no-restricted-imports -- it is what is checked, not where something is kept
import pg from "pg";
import { closedSilently } from "../faults.ts";
import type { AnyTarget, Fault, Probe, ProbeContext } from "../probe.ts";
import { runSession, serverOfCheck, type ServerSession, SessionFault, type SessionServer } from "../session.ts";
import { bounded, compileSql, judgeRow, type SqlFailure, sqlFault, type SqlQuery, statementMs } from "../sql.ts";

export interface PostgresTarget extends AnyTarget<"postgres">, SessionServer, SqlQuery {}

export const probe: Probe<"postgres", PostgresTarget> = { compile: compilePostgres, run: probePostgres };

function compilePostgres(check: CheckOf<"postgres">): PostgresTarget {
  return { kind: "postgres", ...serverOfCheck(check, "postgres"), ...compileSql(check) };
}

/** Logs in, carries out the query in a transaction that may only read, and judges the first row. Never rejects. */
function probePostgres(target: PostgresTarget, ctx: ProbeContext) {
  const startedMs = ctx.clock.elapsedMs();
  return runSession(target, ctx, async (session) => {
    const found = await bounded(session, speak(target, ctx, session));
    return "row" in found ? judgeRow(found.row, target, ctx, ctx.clock.elapsedMs() - startedMs) : found.fault;
  });
}

type Row = Record<string, unknown>;

async function speak(
  { username, password = "", database = username, query }: PostgresTarget,
  ctx: ProbeContext,
  { socket, quote }: ServerSession,
): Promise<{ row: Row | undefined } | { fault: Fault }> {
  const foreign = firstByteFault(socket, quote);
  const client = new pg.Client({
    stream: () => opened(socket),
    ssl: false,
    user: username,
    // As a function: the library would take an empty one from the runner's environment.
    password: () => password,
    database,
    application_name: "Sonde",
  });
  // What comes after the end is of no interest.
  client.on("error", () => {});
  try {
    await Promise.race([client.connect(), foreign]);
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${statementMs(ctx)}`);
    return { row: await firstRowOf(client, query) };
  } catch (error) {
    const { code, message, severity } = error as { code?: string; message: string; severity?: string };
    if (severity !== undefined) return { fault: sqlFault(failures[code ?? ""] ?? "other", message, database, quote) };
    if (message.startsWith("Connection terminated")) return { fault: closedSilently };
    if (message.startsWith("SASL") && password === "") {
      return { fault: { kind: "status", message: "The server requires a password" } };
    }
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

/** Rejects where the first byte is of no message that a server may begin with: the library would wait for its end. */
function firstByteFault(socket: Socket, quote: ServerSession["quote"]): Promise<never> {
  const found = new Promise<never>((_resolve, reject) => {
    socket.once("data", (chunk: Buffer) => {
      if ("REvNS".includes(String.fromCharCode(chunk[0] ?? 0))) return;
      reject(
        new SessionFault({
          kind: "protocol",
          message: `The server does not speak PostgreSQL, it said ${quote(chunk)}`,
        }),
      );
    });
  });
  found.catch(() => {});
  return found;
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
