import { silentLog } from "@sonde/kit/service/log";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { repeat } from "./upkeep.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a nudge during a run makes one more run, and a failed run does not end the work", async () => {
  let runs = 0;
  const work = repeat(
    async () => {
      runs++;
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (runs === 1) throw new Error("once");
    },
    { everyMs: 1_000, log: silentLog, name: "work" },
  );
  work.nudge();
  work.nudge();
  work.nudge();
  await vi.advanceTimersByTimeAsync(100);
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(runs).toBe(3);
  await work.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(3);
});
