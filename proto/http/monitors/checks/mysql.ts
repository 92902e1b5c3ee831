import { port } from "./fields.ts";
import { kind } from "./kind.ts";
import { sqlFields, sqlHooks, sqlTarget } from "./sql.ts";

/** A MySQL or MariaDB server that accepts the login and answers a query. */
export const mysql = kind({
  type: "mysql",
  fields: { ...sqlFields, port: port.default(3306) },
  target: (check) => sqlTarget("mysql", check),
  heavy: ["query", "assertions"],
  ...sqlHooks,
});
