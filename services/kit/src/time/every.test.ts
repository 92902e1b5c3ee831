import { expect, onTestFinished, test, vi } from "vitest";
import { every } from "./every.ts";
import { registry } from "../telemetry/metrics.ts";

test("work that throws or rejects is counted, said once, and runs again", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const log = { error: vi.fn() };
  let runs = 0;
  const stop = every(200, {
    work: "every-test",
    log,
    run: () => {
      runs++;
      if (runs === 1) throw new Error("payload");
      return runs === 2 ? Promise.reject(new Error("later")) : undefined;
    },
  });
  await vi.advanceTimersByTimeAsync(800);
  expect(runs).toBe(4);
  expect(log.error).toHaveBeenCalledTimes(1);
  expect(await registry.metrics()).toContain('sonde_timer_faults_total{work="every-test"} 2');
  stop();
  await vi.advanceTimersByTimeAsync(800);
  expect(runs).toBe(4);
});
