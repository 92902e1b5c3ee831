import { fakeClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import type { AttemptOutcome, ProbeJob } from "../checks/attempt.ts";
import type { Assignment } from "../definitions/watch.ts";
import { createScheduler } from "../schedule/scheduler.ts";
import { createSlotRunner } from "../schedule/slot-run.ts";
import { resolverOf, targetOf } from "./check.ts";

/** `late`: down after its entire timeout. */
type Verdict = "up" | "down" | "late" | "none" | "hangs";

const target = targetOf({ url: "http://a.test/" });

export function openSchedule({ timerIsLateMs = (): number => 0 } = {}) {
  const clock = fakeClock(1_750_000_000_123);
  const setTimeout = (run: () => void, delayMs: number) => clock.setTimeout(run, delayMs + timerIsLateMs());
  const published: (CheckResult & { urgent: boolean })[] = [];
  const begun: number[] = [];
  const jobs: ProbeJob[] = [];
  const world = {
    verdict: "up" as Verdict,
    skipped: 0,
    members: 1,
    mine: (_id: number, _slotMs: number) => true,
    other: "other" as string | null,
  };
  const runner = createSlotRunner({
    clock,
    location: "here",
    resolver: resolverOf({}),
    runner: "r",
    publish: (result, urgent) => void published.push({ ...result, urgent }),
    tracer: { trace: () => undefined },
    onBegun: (lateMs) => void begun.push(lateMs),
    onSkipped: () => void world.skipped++,
    checker: {
      run: (job): Promise<AttemptOutcome> => {
        jobs.push(job);
        const startedAtMs = clock.now();
        const carried = (status: "up" | "down" | "none"): AttemptOutcome =>
          status === "none"
            ? { startedAtMs, outcome: { status, trouble: "ours" } }
            : { startedAtMs, outcome: { status, timings: { total: 0 } } };
        if (world.verdict === "late") {
          job.controller.abort();
          return Promise.resolve(carried("down"));
        }
        if (world.verdict !== "hangs") return Promise.resolve(carried(world.verdict));
        return new Promise((resolve) => {
          job.controller.signal.addEventListener("abort", () => resolve(carried("none")));
        });
      },
    },
  });
  const scheduler = createScheduler({
    clock: { ...clock, setTimeout },
    slots: runner,
    onSkipped: (skipped) => void (world.skipped += skipped),
  });
  const membership = {
    id: "me",
    members: () => Array.from({ length: world.members }, (_, index) => `runner-${index}`),
    owns: (id: string | number, slotMs: number) => world.mine(Number(id), slotMs),
    ownerAt: (id: string | number, slotMs: number) => (world.mine(Number(id), slotMs) ? "me" : world.other),
    inherited: (id: string | number, slotMs: number) => world.mine(Number(id), slotMs),
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    }
  };
  const start = (sinceMs = clock.now()) => scheduler.start(membership, sinceMs);
  return { clock, scheduler, world, published, begun, jobs, pass, start };
}

export function assignment(monitorId: number, changes: Partial<Assignment> = {}): Assignment {
  return {
    monitorId,
    version: 1,
    intervalMs: 60_000,
    timeoutMs: 10_000,
    retries: 1,
    keepBody: true,
    target,
    ...changes,
  };
}
