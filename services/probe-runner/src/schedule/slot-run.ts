import type { TimerClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { Checker } from "../checks/attempt.ts";
import { createEvidenceKeeping, failureReason, type KeptEvidence } from "../checks/evidence.ts";
import { toResult } from "../checks/result.ts";
import type { Assignment } from "../definitions/watch.ts";
import { cancelled } from "../probe/probe.ts";
import type { QueuedItem } from "./queue.ts";

/** `made-up`: the slot is in the past on purpose, for a new monitor or for a runner that is gone. */
export type Punctuality = "due" | "made-up";

export interface SlotRunnerOptions {
  clock: TimerClock;
  checker: Pick<Checker, "run">;
  location: string;
  runner: string;
  publish(result: CheckResult, urgent: boolean): void;
  /** A slot that was due has begun. */
  onBegun(lateMs: number): void;
  /** A run ended before its first check was carried out. */
  onSkipped(): void;
}

export function createSlotRunner(options: SlotRunnerOptions) {
  const { clock, checker, location, runner } = options;
  const keeping = createEvidenceKeeping(clock);

  async function carryOut(entry: ScheduleEntry, run: SlotRun, how: Punctuality) {
    const { assignment } = entry;
    const { monitorId, version, target, timeoutMs, retries, keepBody } = assignment;
    for (;;) {
      const { controller } = run;
      run.attempts++;
      const { startedAtMs, outcome } = await checker.run({ target, timeoutMs, suspect: entry.suspect, controller });
      if (entry.run !== run) return;
      if (run.attempts === 1 && how === "due") options.onBegun(Math.max(0, startedAtMs - run.slotMs));
      if (outcome.status === "none") {
        // Our own trouble: the slot is no data, and what failed before in it may have been ours as well.
        entry.failures = run.failuresBefore;
        run.held = undefined;
        break;
      }
      const isDown = outcome.status === "down";
      entry.failures = isDown ? entry.failures + 1 : 0;
      // Whatever its fault: a check that took all its time may take up capacity that long again.
      entry.suspect = controller.signal.aborted;
      const { attempts: attempt, slotMs } = run;
      const { failures } = entry;
      run.held = toResult(
        { monitorId, version, location, runner, slotMs, startedAtMs, attempt, failures, manual: false },
        outcome,
        isDown ? keeping.textOf(outcome, keepBody, entry.keptEvidence) : undefined,
      );
      // One that would meet the next slot is replaced by it.
      if (!isDown || failures > retries || clock.now() + recheckAfterMs >= entry.dueMs) break;
      run.controller = new AbortController();
      await pause(run);
      if (entry.run !== run) return;
    }
    finish(entry, run);
  }

  function pause(run: SlotRun): Promise<void> {
    return new Promise((resolve) => {
      const clear = clock.setTimeout(resolve, recheckAfterMs);
      run.wake = () => {
        clear();
        resolve();
      };
    });
  }

  function finish(entry: ScheduleEntry, run: SlotRun) {
    entry.run = undefined;
    const { held } = run;
    if (held === undefined) return;
    const status = held.status === "up" ? "up" : "down";
    // The first verdict of a new monitor is urgent; after a restart only a bad one is.
    const urgent = entry.lastStatus === undefined ? entry.fresh || status === "down" : status !== entry.lastStatus;
    entry.lastStatus = status;
    if (held.evidence !== undefined) entry.keptEvidence = { reason: failureReason(held), atMs: clock.now() };
    options.publish(held, urgent);
  }

  /** Gives a run up; what it has so far is its slot's result, unless that is no longer wanted. */
  function end(entry: ScheduleEntry, keep: "result" | "nothing") {
    const { run } = entry;
    if (run === undefined) return;
    if (keep === "nothing") run.held = undefined;
    else if (run.held === undefined) options.onSkipped();
    finish(entry, run);
    run.wake?.();
    run.controller.abort(cancelled);
  }

  return {
    /** Carries out a slot with its re-checks, and hands over one result. A run under way gives way. */
    begin(entry: ScheduleEntry, slotMs: number, how: Punctuality) {
      end(entry, "result");
      entry.begunSlotMs = slotMs;
      const run: SlotRun = {
        slotMs,
        controller: new AbortController(),
        attempts: 0,
        failuresBefore: entry.failures,
        held: undefined,
        wake: undefined,
      };
      entry.run = run;
      void carryOut(entry, run, how);
    },
    end,
  };
}

export type SlotRunner = ReturnType<typeof createSlotRunner>;

/** A monitor in the schedule: its definition, when it is next due, and the results of its last checks. */
export interface ScheduleEntry extends QueuedItem {
  assignment: Assignment;
  /** The newest slot that was begun here; -Infinity before the first. */
  begunSlotMs: number;
  /** Failures in a row, as far as this runner saw. */
  failures: number;
  lastStatus: "up" | "down" | undefined;
  /** It was made or changed while this runner ran: a user waits for its first result. */
  fresh: boolean;
  /** The last check ran into its timeout. */
  suspect: boolean;
  keptEvidence: KeptEvidence | undefined;
  run: SlotRun | undefined;
}

/** A slot being carried out: its first check and the re-checks of a failure. */
export interface SlotRun {
  slotMs: number;
  controller: AbortController;
  /** Begun attempts. */
  attempts: number;
  failuresBefore: number;
  /** The slot's result so far, kept back while a re-check may still replace it. */
  held: CheckResult | undefined;
  /** Ends the wait for a re-check. */
  wake: (() => void) | undefined;
}

export function createEntry(assignment: Assignment, fresh: boolean): ScheduleEntry {
  return {
    assignment,
    dueMs: 0,
    position: -1,
    begunSlotMs: Number.NEGATIVE_INFINITY,
    failures: 0,
    lastStatus: undefined,
    fresh,
    suspect: false,
    keptEvidence: undefined,
    run: undefined,
  };
}
