import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { compileAssertion } from "./assertions.ts";
import type { JudgedAssertions } from "./judging.ts";
import type { Fault, ProbeContext } from "./probe.ts";
import type { ServerSession } from "./session.ts";

/** What a check asks a database. */
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

/** What a database may say of a failure, as far as the kinds know it alike. */
export type SqlFailure = "login" | "database" | "readOnly" | "slow" | "other";

/** Room for the whole reason, which databases put at the end of a sentence. */
const maxErrorShownBytes = 240;

export function sqlFault(failure: SqlFailure, message: string, database: string, quote: ServerSession["quote"]): Fault {
  const said = quote(message, maxErrorShownBytes);
  switch (failure) {
    case "login":
      return { kind: "status", message: `The login was refused: ${said}` };
    case "database":
      return { kind: "status", message: `There is no database named ${quote(database)}` };
    case "readOnly":
      return { kind: "status", message: "The query may only read" };
    case "slow":
      return { kind: "timeout", message: "The query took longer than the timeout" };
    case "other":
      return { kind: "status", message: `The server answered with an error: ${said}` };
  }
}

export const unsupportedLogin = (method: string): Fault => ({
  kind: "status",
  message: `The server requires a login by ${method}, which checks do not support`,
});

export const onlyWithTls: Fault = { kind: "status", message: "The server does not allow this login without TLS" };

/** How long a statement may take at the server, in milliseconds: as long as the check has. */
export const statementMs = ({ timeoutMs = 60_000 }: ProbeContext): number => Math.max(1, Math.ceil(timeoutMs));

/** Holds the first row against the assertions: as a body, which is JSON. */
export async function judgeRow(
  row: Readonly<Record<string, unknown>> | undefined,
  query: SqlQuery,
  ctx: ProbeContext,
  latencyMs: number,
): Promise<Fault | undefined> {
  if (query.expectations.length === 0) return undefined;
  if (row === undefined) return { kind: "assertion", message: "The query found no row" };
  const text = JSON.stringify(row, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  const found = await ctx.judging.judge(query, { headers: {}, text, latencyMs });
  return typeof found === "string" ? { kind: "assertion", message: found } : found;
}
