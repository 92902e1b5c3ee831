import { fingerprint, type Fingerprint } from "@sonde/proto/http/incidents/fingerprint";
import { expect, it, test } from "vitest";
import { comparisonOf, differencesOf } from "./what-changed.ts";

const at = "2026-01-31T12:00:00.000Z";
const good: Fingerprint = {
  at,
  addresses: ["192.0.2.1", "192.0.2.2"],
  names: ["shop.cdn.test"],
  resolver: "10.0.0.2",
  certificate: { serial: "01", issuer: "R3" },
  server: "nginx",
  status: 200,
  bodyBytes: 512,
  bodyHash: "0000abcd",
  timings: { dns: 5, connect: 10, tls: 0, firstByte: 40, total: 60 },
};
/** As far as a check gets whose connection fails. */
const unconnected: Partial<Fingerprint> = {
  certificate: undefined,
  server: undefined,
  status: undefined,
  bodyBytes: undefined,
  bodyHash: undefined,
};

it.each<[string, Partial<Fingerprint>, readonly string[]]>([
  ["nothing", {}, []],
  ["the instant", { at: "2026-01-31T12:05:00.000Z" }, []],
  ["the order of the addresses", { addresses: ["192.0.2.2", "192.0.2.1"] }, []],
  ["an address", { addresses: ["192.0.2.1", "192.0.2.3"] }, ["addresses"]],
  ["an address fewer", { addresses: ["192.0.2.1"] }, ["addresses"]],
  ["an alias", { names: ["shop.other.test"] }, ["names"]],
  ["no alias any more", { names: [] }, ["names"]],
  ["an unknown alias", { names: undefined }, []],
  ["the resolver", { resolver: "10.0.0.3" }, ["resolver"]],
  ["the certificate's serial", { certificate: { serial: "02", issuer: "R3" } }, ["certificate"]],
  ["the certificate's issuer", { certificate: { serial: "01", issuer: "R4" } }, ["certificate"]],
  [
    "several facts",
    { status: 503, server: "envoy", bodyBytes: 9, bodyHash: "1" },
    ["status", "server", "bodyBytes", "bodyHash"],
  ],
  ["a new redirect", { redirects: ["https://a.test/login"] }, ["redirects"]],
  ["a header that a response lacks", { server: undefined }, ["server"]],
  ["a body that was not read in whole", { bodyBytes: undefined, bodyHash: undefined }, []],
  ["a proxy that was not used before", { proxy: "10.0.0.1:3128" }, []],
  ["a check that did not connect", unconnected, []],
  [
    "a check that found no address",
    { ...unconnected, addresses: undefined, names: undefined, resolver: undefined },
    [],
  ],
  ["a phase three times as long", { timings: { ...good.timings, firstByte: 120, total: 140 } }, []],
  ["a phase 100 ms longer", { timings: { dns: 5, connect: 110, firstByte: 40, total: 160 } }, []],
  ["a phase much longer", { timings: { dns: 5, connect: 10, firstByte: 141, total: 161 } }, ["timings"]],
  ["a phase that has no time before", { timings: { tls: 900, total: 60 } }, ["timings"]],
  ["a shorter phase", { timings: { dns: 0, connect: 0, firstByte: 0, total: 1 } }, []],
])("%s", (_what, changes, expected) => {
  expect(differencesOf(good, { ...good, ...changes })).toEqual(expected);
});

test("every fact of a fingerprint is compared", () => {
  const other: Required<Fingerprint> = {
    at,
    addresses: ["x"],
    names: ["x"],
    resolver: "x",
    proxy: "x",
    certificate: { serial: "x", issuer: "x" },
    redirects: ["x"],
    server: "x",
    status: 1,
    bodyBytes: 1,
    bodyHash: "x",
    timings: { total: 9_000 },
  };
  const compared = differencesOf({ ...good, proxy: "y", redirects: [] }, other);
  expect(compared.toSorted()).toEqual(fingerprint.omit({ at: true }).keyof().options.toSorted());
});

test("a comparison needs a fingerprint, and has no differences without a good check", () => {
  const evidence = { at, location: "eu1" };
  expect(comparisonOf(undefined)).toBeUndefined();
  expect(comparisonOf(evidence)).toBeUndefined();
  const firstBad = { ...good, status: 503 };
  expect(comparisonOf({ ...evidence, fingerprint: firstBad })).toEqual({
    location: "eu1",
    lastGood: undefined,
    firstBad,
    differences: [],
    events: [],
  });
  expect(comparisonOf({ ...evidence, fingerprint: firstBad, lastGood: good })).toMatchObject({
    differences: ["status"],
  });
});
