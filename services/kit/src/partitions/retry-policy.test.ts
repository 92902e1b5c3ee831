import { silentLog } from "../service/log.ts";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createRetryPolicy } from "./saving.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const away = Object.assign(new Error("connect refused"), { code: "ECONNREFUSED" });
const fault = Object.assign(new Error("no such column"), { code: "42703" });

/** Fails once per error, then succeeds. */
function failing(errors: readonly Error[]) {
  let calls = 0;
  const run = async () => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return "done";
  };
  return { run, calls: () => calls };
}

test("it retries while PostgreSQL is unavailable, and reports when it is back", async () => {
  const onBack = vi.fn<() => void>();
  const retry = createRetryPolicy(silentLog, 3, onBack);
  const { run, calls } = failing(Array.from({ length: 50 }, () => away));
  const answer = retry.persist(run);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(retry.waiting()).toBe(true);
  expect(onBack).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await answer).toBe("done");
  expect(calls()).toBe(51);
  expect(onBack).toHaveBeenCalledOnce();
  expect(retry.waiting()).toBe(false);
});

test("a persistent error is given up after five attempts", async () => {
  const retry = createRetryPolicy(silentLog, 3, () => {});
  const { run, calls } = failing([away, away, ...Array.from({ length: 9 }, () => fault)]);
  const answer = retry.persist(run).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await answer).toBe(fault);
  expect(calls()).toBe(7);
  expect(retry.waiting()).toBe(false);
});

test("stopping ends the wait", async () => {
  const retry = createRetryPolicy(silentLog, 3, () => {});
  const { run } = failing(Array.from({ length: 50 }, () => away));
  const answer = retry.persist(run).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  retry.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answer).toBe(away);
});
