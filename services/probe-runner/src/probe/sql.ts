import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { compileAssertion } from "./assertions.ts";
import type { JudgedAssertions } from "./judging.ts";
import type { ProbeFailure, ProbeContext } from "./probe.ts";
import type { ServerSession } from "./session.ts";

export interface SqlQuery extends JudgedAssertions {
  username: string;
  password: string | undefined;
  database: string | undefined;
  query: string;
}

type SqlCheck = Omit<SqlQuery, "expectations" | "password" | "database"> & {
  password?: string | undefined;
  database?: string | undefined;
};

export function compileSql({ username, password, database, query, assertions }: SqlCheck): SqlQuery {
  const expectations = assertions.map((assertion: Assertion) => compileAssertion(assertion));
  return { username, password, database, query, assertions, expectations };
}

export { writesFiles } from "@sonde/proto/http/monitors/checks/sql";

export type SqlErrorKind = "login" | "database" | "readOnly" | "slow" | "other";

/** Leaves room for the reason, which databases put at the end of their message. */
const maxErrorShownBytes = 240;

export function sqlFailure(
  failure: SqlErrorKind,
  message: string,
  database: string,
  quote: ServerSession["quote"],
): ProbeFailure {
  const quoted = quote(message, maxErrorShownBytes);
  switch (failure) {
    case "login":
      return { kind: "status", message: `The login was refused: ${quoted}` };
    case "database":
      return { kind: "status", message: `There is no database named ${quote(database)}` };
    case "readOnly":
      return { kind: "status", message: "The query must only read data" };
    case "slow":
      return { kind: "timeout", message: "The query took longer than the timeout" };
    case "other":
      return { kind: "status", message: `The server returned an error: ${quoted}` };
  }
}

export const unsupportedLogin = (method: string): ProbeFailure => ({
  kind: "status",
  message: `The server requires ${method} login, which checks do not support`,
});

export const onlyWithTls: ProbeFailure = {
  kind: "status",
  message: "The server does not allow this login without TLS",
};

/** Server-side statement timeout in milliseconds: the check's own. */
export const statementMs = ({ timeoutMs = 60_000 }: ProbeContext): number => Math.max(1, Math.ceil(timeoutMs));

/** Checks the assertions against the first row, as a JSON body. */
export async function judgeRow(
  row: Readonly<Record<string, unknown>> | undefined,
  query: SqlQuery,
  ctx: ProbeContext,
  latencyMs: number,
): Promise<ProbeFailure | undefined> {
  if (query.expectations.length === 0) return undefined;
  if (row === undefined) return { kind: "assertion", message: "The query returned no rows" };
  const text = JSON.stringify(row, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const found = await ctx.judging.judge(query, { headers: {}, text, latencyMs });
  return typeof found === "string" ? { kind: "assertion", message: found } : found;
}
