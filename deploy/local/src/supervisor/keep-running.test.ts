import { expect, it } from "vitest";
import { restartWaits } from "./keep-running.ts";

it("waits longer after each crash, up to 30 s", () => {
  let nowMs = 0;
  const next = restartWaits(() => nowMs);
  const waits = Array.from({ length: 9 }, () => {
    const waitMs = next();
    nowMs += waitMs;
    return waitMs;
  });

  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

it("resets the wait after a minute without a crash", () => {
  let nowMs = 0;
  const next = restartWaits(() => nowMs);
  next();
  next();
  nowMs += 120_000;

  expect(next()).toBe(500);
});
