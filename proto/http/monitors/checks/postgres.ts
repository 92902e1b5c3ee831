import { port } from "./fields.ts";
import { kind } from "./kind.ts";
import { sqlFields, sqlHooks, sqlTarget } from "./sql.ts";

/** A PostgreSQL server that accepts the login and answers a query. */
export const postgres = kind({
  type: "postgres",
  fields: { ...sqlFields, port: port.default(5432) },
  target: (check) => sqlTarget("postgres", check),
  heavy: ["query", "assertions"],
  ...sqlHooks,
});
