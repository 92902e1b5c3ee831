import { expect, test } from "vitest";
import * as z from "zod";
import { common, type ConfigError, denied, env, readConfig } from "./config.ts";

const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  SONDE_SECRET_KEY: env.secretKey(),
  WORKERS: env.int(4, { min: 1 }),
});
const good = {
  DATABASE_URL: "postgres://sonde@localhost/sonde",
  SONDE_SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
};

test("missing and empty variables have their default", () => {
  expect(readConfig(schema, { ...good, WORKERS: "" })).toMatchObject({ WORKERS: 4, OPS_PORT: 0, SONDE_LOCAL: false });
});

test("all errors are reported together, by name", () => {
  const read = () =>
    readConfig(schema, { DATABASE_URL: "mysql://x", WORKERS: "0", SONDE_LOCAL: "maybe", NATS_URL: "localhost" });
  expect(read).toThrow(/DATABASE_URL[^]*SONDE_SECRET_KEY|SONDE_SECRET_KEY[^]*DATABASE_URL/);
  expect(read).toThrow(/WORKERS/);
  expect(read).toThrow(/SONDE_LOCAL: must be 1 or 0/);
  expect(read).toThrow(/NATS_URL/);
});

test("errors about limits, choices and missing values are readable", () => {
  const own = z.object({
    PORT: env.port(8080, { min: 1 }),
    WORKERS: env.int(4, { min: 1, max: 8 }),
    LOG_LEVEL: env.logLevel(),
    CODE: z.string().min(2).max(3),
    SHORT: z.string().min(2).optional(),
    NAME: z.string(),
    OTHER: z.email().optional(),
    SECONDS: z.coerce.number().max(600).optional(),
  });
  const faultsOf = (environment: NodeJS.ProcessEnv) => {
    try {
      readConfig(own, environment);
      return [];
    } catch (fault) {
      return (fault as ConfigError).faults;
    }
  };
  const high = {
    PORT: "65536",
    WORKERS: "9",
    LOG_LEVEL: "loud",
    CODE: "long",
    SHORT: "x",
    OTHER: "x",
    SECONDS: "soon",
  };
  expect(faultsOf(high)).toEqual([
    "PORT: must be at most 65535",
    "WORKERS: must be at most 8",
    "LOG_LEVEL: must be fatal, error, warn, info, debug, trace, or silent",
    "CODE: must be at most 3 characters long",
    "SHORT: must be at least 2 characters long",
    "NAME: is missing",
    "OTHER: is not valid",
    "SECONDS: must be a number",
  ]);
  expect(faultsOf({ PORT: "0", WORKERS: "0", CODE: "abc", NAME: "x" })).toEqual([
    "PORT: must be at least 1",
    "WORKERS: must be at least 1",
  ]);
});

test("an invalid secret is reported without its value", () => {
  expect(() => readConfig(schema, { ...good, SONDE_SECRET_KEY: "hunter2" })).not.toThrow(/hunter2/);
  expect(() => readConfig(schema, { ...good, SONDE_SECRET_KEY: "hunter2" })).toThrow(/SONDE_SECRET_KEY/);
});

test.each(["999.1.1.1/99", "10.0.0.0/33", "fd00::/129", "10.0.0", "10.0.0.0/8,x"])(
  "%s is not a list of ranges",
  (text) => {
    const proxies = z.object({ TRUSTED_PROXIES: env.cidrs() });
    expect(() => readConfig(proxies, { TRUSTED_PROXIES: text })).toThrow("TRUSTED_PROXIES: must be");
    const good = "10.0.0.0/8, ::1, fd00::/8";
    expect(readConfig(proxies, { TRUSTED_PROXIES: good }).TRUSTED_PROXIES.map(({ prefixBits }) => prefixBits)).toEqual([
      8, 128, 8,
    ]);
  },
);

test.each([
  "https://example.com/?a",
  "https://example.com/uptime?",
  "https://example.com/#a",
  "https://a@example.com",
  "https://example.com/a b",
  "https://example.com/a//b",
  "https://example.com/%2e",
  "https://example.com/status",
  "https://example.com/api/sonde",
])("%s is not a valid PUBLIC_URL", (text) => {
  const own = z.object({ PUBLIC_URL: env.publicUrl() });
  expect(() => readConfig(own, { PUBLIC_URL: text })).toThrow("PUBLIC_URL: must be an address such as");
});

test("PUBLIC_URL may have a path", () => {
  const own = z.object({ PUBLIC_URL: env.publicUrl() });
  for (const good of [
    "https://example.com",
    "http://example.com:8080/",
    "https://example.com/uptime",
    "https://a.b/c/d/",
  ])
    expect(readConfig(own, { PUBLIC_URL: good })).toEqual({ PUBLIC_URL: good });
  expect(readConfig(own, {})).toEqual({});
  for (const bad of ["example.com", "ftp://example.com"])
    expect(() => readConfig(own, { PUBLIC_URL: bad })).toThrow("PUBLIC_URL: must be an http or https address");
});

const probing = z.object({ HOST: z.string().optional(), PROBE_DENY_CIDRS: env.deniedCidrs() });
const deniedOf = (environment: NodeJS.ProcessEnv) => denied(readConfig(probing, environment));

test.each(["0.0.0.0", "::", "192.168.1.7", "sonde.example.com"])(
  "loopback is denied by default with HOST %s",
  (HOST) => {
    expect(deniedOf({ HOST })).toEqual(["127.0.0.0/8", "::1"]);
    expect(deniedOf({ HOST, PROBE_DENY_CIDRS: "" })).toEqual(["127.0.0.0/8", "::1"]);
  },
);

test("nothing is denied by default on loopback, or with an explicit none", () => {
  for (const HOST of [undefined, "127.0.0.1", "::1", "localhost"]) expect(deniedOf({ HOST })).toEqual([]);
  expect(deniedOf({ HOST: "0.0.0.0", PROBE_DENY_CIDRS: "none" })).toEqual([]);
});

test("a list of ranges is used unchanged", () => {
  expect(deniedOf({ HOST: "0.0.0.0", PROBE_DENY_CIDRS: "10.0.0.0/8, fd00::/8" })).toEqual(["10.0.0.0/8", "fd00::/8"]);
  for (const PROBE_DENY_CIDRS of ["everything", "10.0.0.0/33", "none,10.0.0.0/8"]) {
    expect(() => deniedOf({ PROBE_DENY_CIDRS })).toThrow("PROBE_DENY_CIDRS");
  }
});
