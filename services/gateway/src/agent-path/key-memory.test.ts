import { expect, test } from "vitest";
import { createKeyMemory } from "./key-memory.ts";

function setUp(max?: number) {
  const clock = { nowMs: 1_000 };
  const keys = createKeyMemory(() => clock.nowMs, max);
  const waits = (mark: string) => {
    try {
      keys.refuseWaiting(mark);
      return 0;
    } catch (error) {
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return { clock, keys, waits };
}

test("only a key with a retry delay is rejected until it has passed", () => {
  const { clock, keys, waits } = setUp();
  keys.learn("eager", 429, "7");
  expect([waits("eager"), waits("other")]).toEqual([7, 0]);
  clock.nowMs += 6_001;
  expect(waits("eager")).toBe(1);
  clock.nowMs += 1_000;
  expect(waits("eager")).toBe(0);
});

test("other responses, and those without a delay, make no key wait", () => {
  const { keys, waits } = setUp();
  keys.learn("taken", 200, "7");
  keys.learn("away", 503, "7");
  keys.learn("vague", 429, undefined);
  keys.learn("garbled", 429, "Wed, 21 Oct 2026");
  expect(["taken", "away", "vague", "garbled"].map(waits)).toEqual([0, 0, 0, 0]);
});

test("delays are at most a minute, for a limited number of keys", () => {
  const { keys, waits } = setUp(2);
  for (const mark of ["first", "second", "third"]) keys.learn(mark, 429, "100000");
  expect(["first", "second", "third"].map(waits)).toEqual([0, 60, 60]);
});

test("accepted keys are known until rejected or evicted", () => {
  const { keys } = setUp(2);
  const [one, two, three] = ["one", "two", "three"].map(keys.markOf) as [string, string, string];
  keys.learn(one, 200);
  keys.learn(two, 200);
  keys.learn(one, 200);
  keys.learn(three, 503);
  expect([one, two, three].map(keys.wasAccepted)).toEqual([true, true, false]);
  keys.learn(three, 200);
  expect([one, two, three].map(keys.wasAccepted)).toEqual([true, false, true]);
  keys.learn(one, 429);
  keys.learn(three, 401);
  expect([one, two, three].map(keys.wasAccepted)).toEqual([true, false, false]);
});
