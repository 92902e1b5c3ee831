import { AppError } from "@sonde/kit/errors";
import { type FakeClock, fakeClock, type TimerClock } from "@sonde/kit/time/clock";
import { beforeEach, describe, expect, test } from "vitest";
import { repeatCheck, type RepeatContext } from "./check-now.ts";

const timeoutMs = 10_000;
let clock: FakeClock;
let told: unknown[];
/** What the runner answers to each attempt, and how long it takes for it. */
let answers: ({ status: "up" | "down"; tookMs?: number } | AppError)[];
let asked: number[];
let pauses: number[];

beforeEach(() => {
  clock = fakeClock();
  told = [];
  asked = [];
  pauses = [];
});

/** Time advances with each wait. */
const passing = (): TimerClock => ({
  ...clock,
  setTimeout(wake, delayMs) {
    pauses.push(delayMs);
    queueMicrotask(() => clock.advance(delayMs));
    return clock.setTimeout(wake, delayMs);
  },
});

const run = (retries: number, timeout = timeoutMs) => {
  const probes = {
    runCheck: async ({ attempt = 1 }: { attempt?: number }) => {
      asked.push(attempt);
      const answer = answers[attempt - 1] ?? { status: "down" as const };
      if (answer instanceof AppError) throw answer;
      clock.advance(answer.tookMs ?? 20);
      const error = answer.status === "down" ? { kind: "status", message: `failure ${attempt}` } : undefined;
      return { status: answer.status, attempt, error };
    },
  };
  const ctx = {
    clock: passing(),
    probes,
    locations: { runners: () => 1 },
    live: { tellChecking: (checking: unknown) => void told.push(checking) },
  } as unknown as RepeatContext;
  return repeatCheck(ctx, ["default"], { monitorId: 7, version: 1, check: {}, timeoutMs: timeout, retries });
};

describe("a check by hand", () => {
  test("that succeeds is not repeated", async () => {
    answers = [{ status: "up" }];
    expect(await run(3)).toMatchObject({ status: "up" });
    expect(told).toEqual([{ monitorId: 7, attempt: 1, attempts: 4 }]);
  });

  test("that fails is repeated two seconds later, and says each time why", async () => {
    answers = [{ status: "down" }, { status: "down" }, { status: "up" }];
    expect(await run(3)).toMatchObject({ status: "up", attempt: 3 });
    expect(pauses).toEqual([2_000, 2_000]);
    expect(told).toEqual([
      { monitorId: 7, attempt: 1, attempts: 4 },
      { monitorId: 7, attempt: 2, attempts: 4, failed: "failure 1" },
      { monitorId: 7, attempt: 3, attempts: 4, failed: "failure 2" },
    ]);
  });

  test("runs at most its retries more than once; without retries once", async () => {
    answers = [];
    expect(await run(2)).toMatchObject({ status: "down", attempt: 3 });
    expect(asked).toEqual([1, 2, 3]);
    asked = [];
    expect(await run(0)).toMatchObject({ attempt: 1 });
  });

  test("leaves out a re-check that might end after a minute, but never the first", async () => {
    answers = Array.from({ length: 11 }, () => ({ status: "down", tookMs: timeoutMs }));
    // 10 + 2 + 10 + 2 + 10 + 2 + 10 s; the next might take until 61 s.
    expect(await run(10)).toMatchObject({ attempt: 4 });
    answers = Array.from({ length: 11 }, () => ({ status: "down", tookMs: 300_000 }));
    expect(await run(10, 300_000)).toMatchObject({ attempt: 2 });
  });

  test("of which an attempt cannot be run says nothing about the target", async () => {
    answers = [{ status: "down" }, new AppError("unavailable", "Check failed")];
    await expect(run(1)).rejects.toMatchObject({ code: "unavailable" });
  });
});
