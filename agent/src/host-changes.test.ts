import { expect, test } from "vitest";
import { hostChanges } from "./reporter.ts";

test("what cannot be read is left out, and read again later", async () => {
  let nowMs = 0;
  const facts = { hostname: "web-1", ipAddresses: [], os: "Debian 12", version: "1.0.0" };
  const changes = hostChanges(
    async () => {
      if (nowMs === 0) throw new Error("EPERM");
      return facts;
    },
    () => nowMs,
  );
  expect(await changes.untold()).toBeUndefined();
  nowMs = 60_000;
  expect(await changes.untold()).toEqual(facts);
});

test("a host is told once, again until the server has it, and again when it changed", async () => {
  let facts = { hostname: "web-1", ipAddresses: ["192.0.2.7"], os: "Debian 12", version: "1.0.0" };
  let reads = 0;
  let nowMs = 5;
  const changes = hostChanges(
    async () => {
      reads += 1;
      return facts;
    },
    () => nowMs,
  );
  expect(await changes.untold()).toEqual(facts);
  expect(await changes.untold()).toEqual(facts);
  changes.told(facts);
  expect(await changes.untold()).toBeUndefined();
  facts = { ...facts, ipAddresses: ["192.0.2.8"] };
  expect(await changes.untold()).toBeUndefined();
  expect(reads).toBe(1);
  nowMs += 60_000;
  expect((await changes.untold())?.ipAddresses).toEqual(["192.0.2.8"]);
  changes.told(facts);
  nowMs += 60_000;
  expect(await changes.untold()).toBeUndefined();
  expect(reads).toBe(3);
});
