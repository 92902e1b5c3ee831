import { hostAndPort, readNumber } from "../../../lib/typed.ts";
import type { KindForm } from "./registry.ts";
import { LoginFields, ServerAddress, TlsFields } from "./server/fields.tsx";
import { emptyLogin, emptyTls, readLogin, readTls, showLogin, showTls } from "./server/values.ts";

const usualPort = 6379;
const empty = { host: "", port: String(usualPort), ...emptyLogin, tls: false, ...emptyTls };

export const form: KindForm<"redis", typeof empty> = {
  empty,
  show: (check) => ({
    host: check.host,
    port: String(check.port),
    ...showLogin(check),
    tls: check.tls,
    ...showTls(check),
  }),
  read: (values) => ({
    type: "redis",
    host: values.host,
    port: readNumber(values.port) ?? usualPort,
    ...readLogin(values),
    tls: values.tls,
    ...readTls(values),
  }),
  proposeName: ({ host, port }) => hostAndPort(host, port),
  Address: ({ autoFocus }) => (
    <ServerAddress kind="redis" hostExample="cache.example.com" portExample="6379" autoFocus={autoFocus} />
  ),
  Fields: () => (
    <>
      <LoginFields kind="redis" />
      <TlsFields kind="redis" />
    </>
  ),
};
