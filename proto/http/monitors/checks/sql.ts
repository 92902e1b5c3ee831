import { linePattern, textOf, trimmedLine } from "../../text.ts";
import { host, hostAndPort, password, passwordOf, serverOf, tlsFields, checkUsername } from "./fields.ts";
import { assertions, patternsOf } from "./http.ts";
import type { FieldFault } from "../../reasons/issues.ts";
import type { LocatedLiteral } from "./kind.ts";

const maxQueryLength = 1000;
const reads = /^\s*(?:select|with|show|values|table)\b/i;

// Clauses and functions that write files on the server, which a read-only transaction does not prevent. The whole text
// is searched, because only the server can identify comments (`/*!50000 … */`) and strings.
const fileWriters = /\b(?:outfile|dumpfile|lo_export|pg_file_write)\b/i;
export const writesFiles = (query: string): boolean => fileWriters.test(query);

const query = textOf({ min: 1, max: maxQueryLength }, { min: "Please enter text" })
  .refine((text) => reads.test(text), "The query must start with SELECT, WITH, SHOW, VALUES or TABLE")
  .default("SELECT 1")
  .meta({
    pattern: String.raw`^\s*([Ss][Ee][Ll][Ee][Cc][Tt]|[Ww][Ii][Tt][Hh]|[Ss][Hh][Oo][Ww]|[Vv][Aa][Ll][Uu][Ee][Ss]|[Tt][Aa][Bb][Ll][Ee])\b[^\u0000]*$`,
    description: "One statement, run in a read-only transaction. Assertions check the first row as JSON.",
  });

const database = trimmedLine().min(1, "Please enter text").max(200).meta({ pattern: linePattern });

/** Fields shared by SQL databases. */
export const sqlFields = {
  host,
  username: checkUsername,
  password: password.optional(),
  database: database.optional(),
  query,
  assertions,
  ...tlsFields,
};

type SqlCheck = { host: string; port: number; database?: string | undefined };

export const sqlHooks = {
  faults: ({ query: text }: { query: string }): FieldFault[] =>
    writesFiles(text) ? [{ path: "query", message: "The query must only read data" }] : [],
  hosts: (check: SqlCheck): LocatedLiteral[] => [{ path: "host", value: check.host }],
  patterns: patternsOf,
  secrets: passwordOf,
  audience: serverOf,
};

export const sqlTarget = (scheme: string, { host: server, port, database: name }: SqlCheck): string =>
  `${scheme}://${hostAndPort(server, port)}${name === undefined ? "" : `/${name}`}`;
