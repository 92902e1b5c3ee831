import { linePattern, textOf, trimmedLine } from "../../text.ts";
import { host, hostAndPort, password, passwordOf, serverOf, tlsFields, username } from "./fields.ts";
import { assertions, patternsOf } from "./http.ts";
import type { LocatedLiteral } from "./kind.ts";

const longestQuery = 1000;
const reads = /^\s*(?:select|with|show|values|table)\b/i;

const query = textOf({ min: 1, max: longestQuery }, { min: "Please enter text" })
  .refine((text) => reads.test(text), "The query must begin with SELECT, WITH, SHOW, VALUES or TABLE")
  .default("SELECT 1")
  .meta({
    pattern: String.raw`^\s*([Ss][Ee][Ll][Ee][Cc][Tt]|[Ww][Ii][Tt][Hh]|[Ss][Hh][Oo][Ww]|[Vv][Aa][Ll][Uu][Ee][Ss]|[Tt][Aa][Bb][Ll][Ee])\b[^\u0000]*$`,
    description:
      "One statement, carried out in a transaction that may only read. Its first row is what assertions read, as JSON.",
  });

const database = trimmedLine().min(1, "Please enter text").max(200).meta({ pattern: linePattern });

/** What databases that speak SQL have in common. */
export const sqlFields = {
  host,
  username,
  password: password.optional(),
  database: database.optional(),
  query,
  assertions,
  ...tlsFields,
};

type SqlCheck = { host: string; port: number; database?: string | undefined };

export const sqlHooks = {
  hosts: (check: SqlCheck): LocatedLiteral[] => [{ path: "host", value: check.host }],
  patterns: patternsOf,
  secrets: passwordOf,
  audience: serverOf,
};

export const sqlTarget = (scheme: string, { host: server, port, database: name }: SqlCheck): string =>
  `${scheme}://${hostAndPort(server, port)}${name === undefined ? "" : `/${name}`}`;
