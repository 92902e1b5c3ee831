import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { Socket } from "node:net";
import { type Connection, createConnection, type QueryError, type TypeCastField } from "mysql2";
import { closedSilently } from "../failures.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import { runSession, serverOfCheck, type ServerSession, SessionError, type SessionServer } from "../session.ts";
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

export interface MysqlTarget extends AnyTarget<"mysql">, SessionServer, SqlQuery {}

export const probe: Probe<"mysql", MysqlTarget> = { compile: compileMysql, run: probeMysql };

function compileMysql(check: CheckOf<"mysql">): MysqlTarget {
  return { kind: "mysql", ...serverOfCheck(check, "later"), ...compileSql(check) };
}

/** Logs in, runs the query in a read-only transaction, and judges the first row. */
function probeMysql(target: MysqlTarget, ctx: ProbeContext) {
  const startedMs = ctx.clock.elapsedMs();
  return runSession(target, ctx, async (session) => {
    const found = await speak(target, ctx, session);
    return "row" in found ? judgeRow(found.row, target, ctx, ctx.clock.elapsedMs() - startedMs) : found.failure;
  });
}

type Row = Record<string, unknown>;

async function speak(
  { username, password = "", database, query, security }: MysqlTarget,
  ctx: ProbeContext,
  session: ServerSession,
): Promise<{ row: Row | undefined } | { failure: ProbeFailure }> {
  if (writesFiles(query)) return { failure: sqlFailure("readOnly", "", "", session.quote) };
  const client = createConnection({
    stream: session.socket,
    user: username,
    password,
    ...(database !== undefined && { database }),
    ...(security === "later" && { ssl: {} }),
    typeCast: valueOf,
    // Generated parsers only pay off if the same row shape is read repeatedly.
    disableEval: true,
    // A server can request a local file from the client; never send one.
    flags: ["-LOCAL_FILES"],
  });
  if (security === "later") secureBy(client, session);
  // Ignore errors after the end of the check.
  client.on("error", () => {});
  try {
    const version = await connected(client);
    const limit = statementMs(ctx);
    const limited = /mariadb/i.test(version) ? `max_statement_time = ${limit / 1000}` : `max_execution_time = ${limit}`;
    await run(client, `SET SESSION ${limited}, SESSION sql_select_limit = 1`);
    await run(client, "START TRANSACTION READ ONLY");
    return { row: await firstRowOf(client, query) };
  } catch (error) {
    if (error instanceof SessionError) throw error;
    return { failure: clientFailure(error as QueryError, database, session.quote) };
  } finally {
    client.end(() => {});
  }
}

const numbers = new Set(["TINY", "SHORT", "LONG", "INT24", "YEAR", "FLOAT", "DOUBLE"]);

/** Text as sent; small numbers and JSON parsed. The library's readers loop for hours on a forged length. */
function valueOf(field: TypeCastField): unknown {
  const text = field.string(field.type === "JSON" ? "utf8" : undefined);
  if (text === null) return null;
  if (field.type === "JSON") return parsed(text);
  return numbers.has(field.type) && Number.isFinite(Number(text)) ? Number(text) : text;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** By error number: the library does not name MariaDB's own errors. */
const failures: Readonly<Record<number, SqlErrorKind>> = {
  1044: "login", // ER_DBACCESS_DENIED_ERROR
  1045: "login", // ER_ACCESS_DENIED_ERROR
  1049: "database", // ER_BAD_DB_ERROR
  1792: "readOnly", // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
  1969: "slow", // ER_STATEMENT_TIMEOUT of MariaDB
  3024: "slow", // ER_QUERY_TIMEOUT of MySQL
};

function clientFailure(error: QueryError, database: string | undefined, quote: ServerSession["quote"]): ProbeFailure {
  const { code, message, errno } = error;
  if (code === "PROTOCOL_CONNECTION_LOST") return closedSilently;
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return { kind: "tls", message: "The server does not offer TLS" };
  if (errno === 3159) return onlyWithTls; // ER_SECURE_TRANSPORT_REQUIRED
  const plugin = /^Server requests authentication using unknown plugin ([\w-]{1,60})/.exec(message)?.[1];
  if (plugin !== undefined) return unsupportedLogin(plugin === "client_ed25519" ? "ed25519" : plugin);
  if (code === "MYSQL_CLEAR_PASSWORD_NOT_ENABLED") return unsupportedLogin("mysql_clear_password");
  // Server errors have a number; all others come from the library.
  if (errno !== undefined && errno > 0) return sqlFailure(failures[errno] ?? "other", message, database ?? "", quote);
  if (code?.startsWith("E") && !code.startsWith("ER_")) throw error;
  return { kind: "protocol", message: `The server does not speak MySQL; it replied ${quote(message)}` };
}

type Internals = {
  stream: Socket;
  packetParser: { execute(data: Buffer): void };
  startTLS(onSecure: (error?: Error) => void): void;
};

/** Replaces the library's TLS upgrade with the session's, which has its own error messages, evidence and timeout. */
function secureBy(client: Connection, { socket, secure }: ServerSession): void {
  const internals = client as unknown as Internals;
  internals.startTLS = (onSecure) => {
    socket.removeAllListeners("data");
    void secure().then((secured) => {
      internals.stream = secured;
      secured.on("data", (data: Buffer) => internals.packetParser.execute(data));
      onSecure();
    });
  };
}

function connected(client: Connection): Promise<string> {
  return new Promise((resolve, reject) => {
    client.connect((error) => {
      const { _handshakePacket: handshake } = client as unknown as { _handshakePacket?: { serverVersion?: string } };
      if (error) reject(error);
      else resolve(handshake?.serverVersion ?? "");
    });
  });
}

const run = (client: Connection, text: string): Promise<void> =>
  new Promise((resolve, reject) => client.query(text, (error) => (error ? reject(error) : resolve())));

/** Returns the first row. Further rows are not read; the connection ends instead. */
function firstRowOf(client: Connection, text: string): Promise<Row | undefined> {
  return new Promise((resolve, reject) => {
    const query = client.query(text);
    query.on("result", (row: Row) => resolve(row));
    query.on("error", reject);
    query.on("end", () => resolve(undefined));
  });
}
