import { hostAndPort } from "../../../lib/typed.ts";
import type { KindForm } from "./registry.ts";
import { ServerAddress, SqlFields } from "./server/fields.tsx";
import { emptySql, readSql, showSql, type SqlValues } from "./server/values.ts";

const usualPort = 5432;

export const form: KindForm<"postgres", SqlValues> = {
  empty: { ...emptySql, port: String(usualPort) },
  show: showSql,
  read: (values) => ({ type: "postgres", ...readSql(values, usualPort) }),
  proposeName: ({ host, port }) => hostAndPort(host, port),
  Address: ({ autoFocus }) => (
    <ServerAddress kind="postgres" hostExample="db.example.com" portExample="5432" autoFocus={autoFocus} />
  ),
  Fields: () => <SqlFields kind="postgres" />,
};
