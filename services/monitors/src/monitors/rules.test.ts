import { createGuard } from "@sonde/kit/egress/guard";
import { describe, expect, test } from "vitest";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { mergeInput, type CheckPatch, patchOf, type RuleContext } from "./rules.ts";

const ctx = (...liveLocations: string[]): RuleContext => ({
  guard: createGuard({ denyCidrs: [] }),
  secrets: secretBox(deriveKeys(Buffer.alloc(32).toString("base64"))),
  nowMs: Date.now,
  minIntervalMs: 60_000,
  locations: { liveLocations: () => liveLocations },
});
const input = { name: "shop", check: { url: "https://example.com/" } };
const none = { before: null };

test("a partial input keeps cleared fields as null, and emptied lists", () => {
  expect(patchOf({ name: "shop", interval: 0.5 })).toEqual({ name: "shop", intervalMs: 30_000 });
  expect(patchOf({ tags: [], method: "HEAD", body: null })).toEqual({
    tags: [],
    check: { method: "HEAD", body: null },
  });
});

test("a monitor without a location gets `default` if it has a runner, otherwise the only live location", () => {
  expect(mergeInput(ctx("default", "eu1"), input, none).locations).toEqual(["default"]);
  expect(mergeInput(ctx("eu1"), input, none).locations).toEqual(["eu1"]);
});

test("several locations or none are an error that lists them", () => {
  expect(() => mergeInput(ctx("eu1", "us1"), input, none)).toThrow(
    expect.objectContaining({
      code: "impossible",
      message: "Choose a location: probe runners are at eu1, us1",
      details: [expect.objectContaining({ path: "locations" })],
    }),
  );
  expect(() => mergeInput(ctx(), input, none)).toThrow(
    "No probe runner is running, so this monitor would never be checked",
  );
});

test("a new `default` without a runner is rejected like any other location; an existing one stays", () => {
  const named = { ...input, locations: ["default"] };
  expect(() => mergeInput(ctx("eu1"), named, none)).toThrow("There is no location named default");
  const before = mergeInput(ctx("default"), input, none);
  expect(mergeInput(ctx("eu1"), { ...named, name: "new" }, { before })).toMatchObject({ locations: ["default"] });
});

test("a kind can have its own minimum and default interval", () => {
  const domain = { name: "shop", check: { type: "domain", domain: "shop.example" } };
  const before = mergeInput(ctx("default"), domain, none);
  expect(before).toMatchObject({ intervalMs: 86_400_000, timeoutMs: 10_000 });
  expect(mergeInput(ctx("default"), { intervalMs: 6 * 3_600_000 }, { before }).intervalMs).toBe(6 * 3_600_000);
  expect(() => mergeInput(ctx("default"), { intervalMs: 6 * 3_600_000 - 1 }, { before })).toThrow(
    expect.objectContaining({
      details: [{ path: "interval", message: "The interval must be at least {min} min", params: { min: 360 } }],
    }),
  );
});

test.each([
  [{ url: "http://169.254.169.254/" }, "url"],
  [{ type: "tcp", host: "169.254.169.254", port: 80 }, "host"],
  [{ type: "tcp", host: "0xa9fea9fe", port: 80 }, "host"],
  [{ type: "tcp", host: "::ffff:169.254.169.254", port: 80 }, "host"],
  [{ type: "flow", steps: [{ url: "https://a/" }, { url: "http://169.254.169.254/" }] }, "steps.1.url"],
  [{ type: "tls", host: "fd00:ec2::254" }, "host"],
  [{ type: "tls", host: "2852039166" }, "host"],
  [{ type: "tls", host: "0251.0376.0251.0376." }, "host"],
  [{ type: "dns", host: "example.com", recordType: "A", resolver: "169.254.169.253:53" }, "resolver"],
  [{ type: "dns", host: "example.com", recordType: "A", resolver: "0251.0376.0251.0375" }, "resolver"],
  [{ type: "dns", host: "example.com", recordType: "A", resolver: "[64:ff9b::a9fe:a9fe]:53" }, "resolver"],
])("%j is rejected: its address may not be monitored", (check, path) => {
  expect(() => mergeInput(ctx("default"), { name: "a", check }, none)).toThrow(
    expect.objectContaining({ details: [{ path, message: "This address cannot be monitored" }] }),
  );
});

describe("an edit of a check", () => {
  const tcp = { type: "tcp", host: "db", port: 5432, expect: "ready" };
  const before = mergeInput(ctx("default"), { name: "db", check: tcp }, none);
  const edited = (check: CheckPatch) => mergeInput(ctx("default"), { check }, { before }).config;

  test("keeps absent fields, and null clears a field", () => {
    expect(edited({ port: 5433 })).toEqual({ ...tcp, port: 5433 });
    expect(edited({ expect: null })).toEqual({ type: "tcp", host: "db", port: 5432 });
  });

  test("cannot change the kind, or contain a field of another kind", () => {
    expect(() => edited({ type: "http", url: "https://a/" })).toThrow(
      expect.objectContaining({ details: expect.arrayContaining([expect.objectContaining({ path: "type" })]) }),
    );
    expect(() => edited({ url: "https://a/" })).toThrow(
      expect.objectContaining({ details: [{ path: "url", message: "Unknown field" }] }),
    );
  });

  test("a whole input replaces all fields", () => {
    const check = { type: "tcp", host: "db", port: 1 };
    expect(mergeInput(ctx("default"), { name: "db", check }, { before, whole: true }).config).toEqual(check);
  });
});

test("pings that do not fit into the timeout are rejected, unless they were saved before that rule existed", () => {
  const pings = (count: number) => ({
    name: "router",
    timeoutMs: 2_000,
    check: { type: "icmp", host: "a.test", count },
  });
  const before = mergeInput(ctx("default"), pings(9), none);
  const refused = expect.objectContaining({
    code: "invalid",
    details: [
      {
        path: "count",
        message: "This check takes at least {min} seconds, longer than its timeout",
        params: { min: 2.2 },
      },
    ],
  });
  expect(() => mergeInput(ctx("default"), pings(10), none)).toThrow(refused);
  expect(() => mergeInput(ctx("default"), { check: { count: 10 } }, { before })).toThrow(refused);
  const saved = { ...before, config: { ...before.config, count: 10 } };
  expect(mergeInput(ctx("default"), { name: "other" }, { before: saved })).toMatchObject({ name: "other" });
});
