import { expect, test } from "vitest";
import { createWaitingKeys } from "./waiting-keys.ts";

function setUp(most?: number) {
  const clock = { nowMs: 1_000 };
  const keys = createWaitingKeys(() => clock.nowMs, most);
  const waits = (mark: string) => {
    try {
      keys.check(mark);
      return 0;
    } catch (error) {
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return { clock, keys, waits };
}

test("a key that was told to wait is refused until then, and nobody else", () => {
  const { clock, keys, waits } = setUp();
  keys.heard("eager", 429, "7");
  expect([waits("eager"), waits("other")]).toEqual([7, 0]);
  clock.nowMs += 6_001;
  expect(waits("eager")).toBe(1);
  clock.nowMs += 1_000;
  expect(waits("eager")).toBe(0);
});

test("other answers, and those without a time, keep nobody waiting", () => {
  const { keys, waits } = setUp();
  keys.heard("taken", 200, "7");
  keys.heard("away", 503, "7");
  keys.heard("vague", 429, undefined);
  keys.heard("garbled", 429, "Wed, 21 Oct 2026");
  expect(["taken", "away", "vague", "garbled"].map(waits)).toEqual([0, 0, 0, 0]);
});

test("a wait is remembered for a minute at most, and of so many keys at most", () => {
  const { keys, waits } = setUp(2);
  for (const mark of ["first", "second", "third"]) keys.heard(mark, 429, "100000");
  expect(["first", "second", "third"].map(waits)).toEqual([0, 60, 60]);
});
