import { memoize } from "@sonde/kit/cache";
import type { Header } from "@sonde/proto/http/monitors/checks/http";
import { parseExpectedStatus, type StatusRange } from "@sonde/proto/http/monitors/expected-status";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { compileAssertion } from "../assertions.ts";
import type { JudgedAssertions } from "../judging.ts";
import type { AnyTarget } from "../probe.ts";
import { type Connection, connectionOf } from "./connection.ts";
import { type Destination, destinationOf } from "./request.ts";

export interface HttpTarget extends AnyTarget<"http">, JudgedAssertions {
  destination: Destination;
  method: string;
  headers: readonly Header[];
  body: Buffer | undefined;
  expectedStatus: string;
  ranges: readonly StatusRange[];
  followRedirects: boolean;
  verifyTls: boolean;
  needsBody: boolean;
  minDaysLeft: number | undefined;
  /** Undefined for a direct connection without a client certificate or token. */
  connection: Connection | undefined;
  passwords: readonly string[];
}

/** @throws TypeError if the URL is invalid */
export function compileHttp(check: CheckOf<"http">): HttpTarget {
  const destination = destinationOf(new URL(check.url));
  const expectations = check.assertions.map((assertion) => compileAssertion(assertion));
  return {
    kind: "http",
    host: destination.authority,
    destination,
    method: check.method,
    headers: sharedIfEmpty(check.headers.filter(({ name }) => !framing.has(name.toLowerCase()))),
    body: check.body === undefined ? undefined : Buffer.from(check.body),
    ...expectationOf(String(check.expectedStatus)),
    followRedirects: check.followRedirects,
    verifyTls: check.verifyTls,
    assertions: sharedIfEmpty(check.assertions),
    expectations: sharedIfEmpty(expectations),
    needsBody: expectations.some(({ needsBody }) => needsBody),
    minDaysLeft: check.minDaysLeft,
    ...connectionOf(check, destination),
  };
}

// Saves memory: most monitors have neither headers nor assertions and expect one of a few statuses.
const none: readonly never[] = [];

function sharedIfEmpty<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? none : list;
}

const expectationOf = memoize(
  (expectedStatus: string) => ({
    expectedStatus,
    ranges: parseExpectedStatus(expectedStatus) ?? [],
  }),
  1_000,
);

// Written by the probe itself. A second value would make the request ambiguous.
const framing = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
