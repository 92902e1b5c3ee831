import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import type { IpFamily, TokenRequest } from "@sonde/proto/http/monitors/checks/connection";
import type { HttpMethod } from "@sonde/proto/http/monitors/checks/http";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { readNumber, withScheme } from "../../../../lib/typed.ts";
import type { KeyValue } from "../../../../ui/key-value-editor.tsx";

export type AssertionValues = Pick<Assertion, "source" | "op"> & {
  property: string;
  value: string;
  /** The value was stored as a number: it stays one as long as it reads as one. */
  isNumber?: boolean;
};

export const emptyHttp = {
  url: "",
  method: "GET" as HttpMethod,
  expectedStatus: "200",
  headers: [] as KeyValue[],
  body: "",
  followRedirects: true,
  verifyTls: true,
  assertions: [] as AssertionValues[],
  minDaysLeft: "",
  proxy: { url: "", username: "", password: "" },
  clientCertificate: { cert: "", key: "" },
  oauth: {
    tokenUrl: "",
    clientId: "",
    clientSecret: "",
    scope: "",
    audience: "",
    authentication: "basic" as TokenRequest,
  },
  ipFamily: "any" as IpFamily | "any",
  servername: "",
  h2c: false,
};
/** Those that are drawn apart, once they are wanted. */
export const connectionNames = ["proxy", "clientCertificate", "oauth", "ipFamily", "servername", "h2c"] as const;
export type HttpValues = typeof emptyHttp;
export type HttpForm = { http: HttpValues };

export function showHttp(check: CheckOf<"http">): HttpValues {
  const { url, method, followRedirects, verifyTls, headers, body = "", assertions, minDaysLeft = "" } = check;
  return {
    url,
    method,
    expectedStatus: String(check.expectedStatus),
    headers: headers.map(({ name, value }) => ({ name, value })),
    body,
    followRedirects,
    verifyTls,
    assertions: assertions.map(showAssertion),
    minDaysLeft: String(minDaysLeft),
    proxy: { ...emptyHttp.proxy, ...given(check.proxy) },
    clientCertificate: { ...emptyHttp.clientCertificate, ...given(check.clientCertificate) },
    oauth: { ...emptyHttp.oauth, ...given(check.oauth) },
    ipFamily: check.ipFamily ?? "any",
    servername: check.servername ?? "",
    h2c: check.h2c ?? false,
  };
}

export function showAssertion({ source, property = "", op, value = "" }: Assertion): AssertionValues {
  return { source, op, property, value: String(value), ...(typeof value === "number" && { isNumber: true }) };
}

export function readHttp(values: HttpValues) {
  return {
    ...values,
    type: "http" as const,
    url: withScheme(values.url),
    expectedStatus: readStatus(values.expectedStatus),
    body: values.body === "" ? null : values.body,
    assertions: values.assertions.map(readAssertion),
    minDaysLeft: readNumber(values.minDaysLeft) ?? null,
    ...readConnection(values),
  };
}

type Given<Parts> = { [Name in keyof Parts]?: Exclude<Parts[Name], undefined> };
/** Parts without those that have no value. */
const given = <Parts extends object>(parts: Parts | undefined) => (parts ?? {}) as Given<Parts>;

/** Null where nothing was typed; parts that may be left out are where nothing was typed in them. */
function readConnection({ proxy, clientCertificate, oauth, ipFamily, servername, h2c }: HttpValues) {
  const { username, password, ...address } = proxy;
  const { scope, audience, authentication, ...client } = oauth;
  return {
    proxy: isEmpty(proxy) ? null : { ...address, ...filled({ username, password }) },
    clientCertificate: isEmpty(clientCertificate) ? null : clientCertificate,
    oauth: isEmpty({ ...client, scope, audience })
      ? null
      : { ...client, authentication, ...filled({ scope, audience }) },
    ipFamily: ipFamily === "any" ? null : ipFamily,
    servername: servername.trim() === "" ? null : servername,
    h2c: h2c ? true : null,
  };
}
const isEmpty = (parts: Record<string, string>) => Object.values(parts).every((text) => text.trim() === "");
const filled = (parts: Record<string, string>) =>
  Object.fromEntries(Object.entries(parts).filter(([, text]) => text.trim() !== ""));

export function readStatus(text: string): string | number {
  const trimmed = text.trim();
  if (trimmed === "") return 200;
  return /^\d+$/.test(trimmed) ? Number(trimmed) : trimmed;
}

export function readAssertion({ source, property, op, value, ...stored }: AssertionValues): Assertion {
  const isNumber = stored.isNumber || op === "lessThan" || op === "greaterThan" || source === "latency";
  const text = value.trim();
  return {
    source,
    op,
    ...(source === "header" || source === "json" ? { property: property.trim() } : {}),
    ...(op === "exists" || text === ""
      ? {}
      : { value: isNumber && Number.isFinite(Number(text)) ? Number(text) : value }),
  };
}

/** Completes the address, and leaves out empty headers. */
export function tidyHttp({ url, headers }: HttpValues): Pick<HttpValues, "url" | "headers"> {
  return {
    url: withScheme(url),
    headers: filledHeaders(headers),
  };
}

export const filledHeaders = (headers: readonly KeyValue[]): KeyValue[] =>
  headers.filter(({ name, value }) => name.trim() !== "" || value.trim() !== "");
