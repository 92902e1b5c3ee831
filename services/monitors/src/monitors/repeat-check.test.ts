import { AppError } from "@sonde/kit/errors";
import { type FakeClock, fakeClock, type TimerClock } from "@sonde/kit/time/clock";
import { beforeEach, describe, expect, test } from "vitest";
import { repeatCheck, type RepeatContext } from "./check-now.ts";

const timeoutMs = 10_000;
let clock: FakeClock;
let progress: unknown[];
let answers: ({ status: "up" | "down"; tookMs?: number } | AppError)[];
let asked: number[];
let pauses: number[];

beforeEach(() => {
  clock = fakeClock();
  progress = [];
  asked = [];
  pauses = [];
});

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
    live: { publishChecking: (checking: unknown) => void progress.push(checking) },
  } as unknown as RepeatContext;
  return repeatCheck(ctx, ["default"], { monitorId: 7, version: 1, check: {}, timeoutMs: timeout, retries });
};

describe("a manual check", () => {
  test("is not repeated after a success", async () => {
    answers = [{ status: "up" }];
    expect(await run(3)).toMatchObject({ status: "up" });
    expect(progress).toEqual([{ monitorId: 7, attempt: 1, attempts: 4 }]);
  });

  test("is repeated two seconds after a failure, and publishes the reason", async () => {
    answers = [{ status: "down" }, { status: "down" }, { status: "up" }];
    expect(await run(3)).toMatchObject({ status: "up", attempt: 3 });
    expect(pauses).toEqual([2_000, 2_000]);
    expect(progress).toEqual([
      { monitorId: 7, attempt: 1, attempts: 4 },
      { monitorId: 7, attempt: 2, attempts: 4, failed: "failure 1" },
      { monitorId: 7, attempt: 3, attempts: 4, failed: "failure 2" },
    ]);
  });

  test("is repeated at most `retries` times", async () => {
    answers = [];
    expect(await run(2)).toMatchObject({ status: "down", attempt: 3 });
    expect(asked).toEqual([1, 2, 3]);
    asked = [];
    expect(await run(0)).toMatchObject({ attempt: 1 });
  });

  test("skips a retry that might end after a minute, but never the first attempt", async () => {
    answers = Array.from({ length: 11 }, () => ({ status: "down", tookMs: timeoutMs }));
    // 10 + 2 + 10 + 2 + 10 + 2 + 10 s; the next might take until 61 s.
    expect(await run(10)).toMatchObject({ attempt: 4 });
    answers = Array.from({ length: 11 }, () => ({ status: "down", tookMs: 300_000 }));
    expect(await run(10, 300_000)).toMatchObject({ attempt: 2 });
  });

  test("fails if an attempt cannot run, without a verdict", async () => {
    answers = [{ status: "down" }, new AppError("unavailable", "Check failed")];
    await expect(run(1)).rejects.toMatchObject({ code: "unavailable" });
  });
});
