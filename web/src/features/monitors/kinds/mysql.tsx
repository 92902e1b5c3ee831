import { hostAndPort } from "../../../lib/typed.ts";
import type { KindForm } from "./registry.ts";
import { ServerAddress, SqlFields } from "./server/fields.tsx";
import { emptySql, readSql, showSql, type SqlValues } from "./server/values.ts";

const usualPort = 3306;

export const form: KindForm<"mysql", SqlValues> = {
  empty: { ...emptySql, port: String(usualPort) },
  show: showSql,
  read: (values) => ({ type: "mysql", ...readSql(values, usualPort) }),
  proposeName: ({ host, port }) => hostAndPort(host, port),
  Address: ({ autoFocus }) => (
    <ServerAddress kind="mysql" hostExample="db.example.com" portExample="3306" autoFocus={autoFocus} />
  ),
  Fields: () => <SqlFields kind="mysql" />,
};
