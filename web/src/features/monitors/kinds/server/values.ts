import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { readNumber } from "../../../../lib/typed.ts";
import { type AssertionValues, readAssertion, showAssertion } from "../http/values.ts";

/** How TLS is used and judged, as forms have it. */
export const emptyTls = { verifyTls: true, minDaysLeft: "" };
type TlsCheck = { verifyTls: boolean; minDaysLeft?: number | undefined };
export const showTls = ({ verifyTls, minDaysLeft }: TlsCheck) => ({
  verifyTls,
  minDaysLeft: String(minDaysLeft ?? ""),
});
export const readTls = ({ verifyTls, minDaysLeft }: typeof emptyTls) => ({
  verifyTls,
  minDaysLeft: readNumber(minDaysLeft) ?? null,
});

/** An account at a server. A stored password is a mask. */
export const emptyLogin = { username: "", password: "" };
type LoginCheck = { username?: string | undefined; password?: string | undefined };
export const showLogin = ({ username = "", password = "" }: LoginCheck) => ({ username, password });
export const readLogin = ({ username, password }: typeof emptyLogin) => ({
  username: username.trim() === "" ? null : username,
  password: password === "" ? null : password,
});

export const emptySql = {
  host: "",
  port: "",
  ...emptyLogin,
  database: "",
  query: "SELECT 1",
  assertions: [] as AssertionValues[],
  tls: false,
  ...emptyTls,
};
export type SqlValues = typeof emptySql;

type SqlCheck = TlsCheck &
  LoginCheck & {
    host: string;
    port: number;
    database?: string | undefined;
    query: string;
    assertions: readonly Assertion[];
    tls: boolean;
  };

export const showSql = (check: SqlCheck): SqlValues => ({
  host: check.host,
  port: String(check.port),
  ...showLogin(check),
  database: check.database ?? "",
  query: check.query,
  assertions: check.assertions.map(showAssertion),
  tls: check.tls,
  ...showTls(check),
});

export const readSql = (values: SqlValues, usualPort: number) => ({
  host: values.host,
  port: readNumber(values.port) ?? usualPort,
  ...readLogin(values),
  // Without one the schema reports what is missing.
  username: values.username,
  database: values.database.trim() === "" ? null : values.database,
  query: values.query,
  assertions: values.assertions.map(readAssertion),
  tls: values.tls,
  ...readTls(values),
});
