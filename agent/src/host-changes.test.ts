import { expect, test } from "vitest";
import { hostChanges } from "./reporter.ts";

test("unreadable facts are omitted, and read again later", async () => {
  let nowMs = 0;
  const facts = { hostname: "web-1", ipAddresses: [], os: "Debian 12", version: "1.0.0" };
  const changes = hostChanges(
    async () => {
      if (nowMs === 0) throw new Error("EPERM");
      return facts;
    },
    () => nowMs,
  );
  expect(await changes.unsent()).toBeUndefined();
  nowMs = 60_000;
  expect(await changes.unsent()).toEqual(facts);
});

test("host facts are sent once, again until the server has them, and again after a change", async () => {
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
  expect(await changes.unsent()).toEqual(facts);
  expect(await changes.unsent()).toEqual(facts);
  changes.sent(facts);
  expect(await changes.unsent()).toBeUndefined();
  facts = { ...facts, ipAddresses: ["192.0.2.8"] };
  expect(await changes.unsent()).toBeUndefined();
  expect(reads).toBe(1);
  nowMs += 60_000;
  expect((await changes.unsent())?.ipAddresses).toEqual(["192.0.2.8"]);
  changes.sent(facts);
  nowMs += 60_000;
  expect(await changes.unsent()).toBeUndefined();
  expect(reads).toBe(3);
});
