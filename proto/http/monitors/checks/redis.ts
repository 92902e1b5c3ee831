import {
  host,
  hostAndPort,
  loginFaults,
  password,
  passwordOf,
  port,
  serverOf,
  tlsFields,
  checkUsername,
} from "./fields.ts";
import { kind } from "./kind.ts";

/** A Redis server (or Valkey, KeyDB) that accepts the login and answers PING. */
export const redis = kind({
  type: "redis",
  fields: {
    host,
    port: port.default(6379),
    username: checkUsername.optional(),
    password: password.optional(),
    ...tlsFields,
  },
  target: (check) => `redis://${hostAndPort(check.host, check.port)}`,
  hosts: (check) => [{ path: "host", value: check.host }],
  faults: loginFaults,
  secrets: passwordOf,
  audience: serverOf,
});
