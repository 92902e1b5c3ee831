import { fakeClock } from "@sonde/kit/time/clock";
import { expect, test } from "vitest";
import { endpoints } from "./endpoints.ts";

test("checks are listed after pending ones are stored", async () => {
  const done: string[] = [];
  const read = async <Result>(): Promise<Result> => {
    done.push("read");
    return [] as Result;
  };
  const context = {
    clock: fakeClock(),
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: () => undefined },
    maintenance: { spansOf: () => [] },
    read,
  };
  const flushPending = async () => void done.push("stored");
  const { listChecks } = endpoints(context, { flushPending });
  const request = { monitorId: 1, limit: 1, failedOnly: true };
  await listChecks(request, { requestId: "r", timeoutMs: 1_000, signal: new AbortController().signal });
  expect(done).toEqual(["stored", "read"]);
});

test("concurrent requests for the same history share one read", async () => {
  let reads = 0;
  const clock = fakeClock();
  const context = {
    clock,
    retention: { rawDays: 30, rollupDays: 400 },
    timelines: { get: () => undefined },
    maintenance: { spansOf: () => [] },
    read: async <Result>(): Promise<Result> => {
      reads++;
      return [{ steps: new Map() }, new Map()] as Result;
    },
  };
  const { monitorHistory } = endpoints(context, { flushPending: async () => {} });
  const ask = (monitorId: number) =>
    monitorHistory(
      { monitorId, range: "30d", step: "1h", timeZone: "UTC" },
      {
        requestId: "r",
        timeoutMs: 1_000,
        signal: new AbortController().signal,
      },
    );
  await Promise.all([ask(1), ask(1)]);
  expect(reads).toBe(1);
  await ask(2);
  expect(reads).toBe(2);
  clock.advance(1_000);
  await ask(1);
  expect(reads).toBe(3);
});
