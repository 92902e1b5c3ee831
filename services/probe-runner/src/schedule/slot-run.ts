import type { Resolver } from "@sonde/kit/egress/resolver";
import type { TimerClock } from "@sonde/kit/time/clock";
import type { CheckResult } from "@sonde/proto/gen/checks/v1/checks";
import { recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import type { Checker } from "../checks/attempt.ts";
import { createEvidencePolicy, failureReason, type PublishedEvidence } from "../checks/evidence.ts";
import { createFingerprints, type KeptFacts } from "../checks/fingerprints.ts";
import { type CheckVerdict, toResult } from "../checks/result.ts";
import type { Tracer } from "../checks/trace.ts";
import type { Assignment } from "../definitions/watch.ts";
import { cancelled } from "../probe/probe.ts";
import type { QueuedItem } from "./queue.ts";

/** `catch-up`: a past slot, run for a new monitor or on behalf of a runner that left. */
export type Punctuality = "due" | "catch-up";

export interface SlotRunnerOptions {
  clock: TimerClock;
  checker: Pick<Checker, "run">;
  resolver: Pick<Resolver, "originOf">;
  location: string;
  runner: string;
  publish(result: CheckResult, urgent: boolean): void;
  tracer: Tracer;
  onBegun(lateMs: number): void;
  onSkipped(): void;
}

export function createSlotRunner(options: SlotRunnerOptions) {
  const { clock, checker, location, runner } = options;
  const evidencePolicy = createEvidencePolicy(clock);
  const fingerprints = createFingerprints(options.resolver);

  async function carryOut(entry: ScheduleEntry, run: SlotRun, how: Punctuality) {
    const { assignment } = entry;
    const { monitorId, version, target, timeoutMs, retries, keepBody } = assignment;
    for (;;) {
      const { controller } = run;
      run.attempts++;
      const { startedAtMs, outcome } = await checker.run({
        target,
        timeoutMs,
        timedOutBefore: entry.timedOutBefore,
        controller,
      });
      if (entry.run !== run) return;
      if (run.attempts === 1 && how === "due") options.onBegun(Math.max(0, startedAtMs - run.slotMs));
      if (outcome.status === "none") {
        // The runner's own problem: the slot has no data, and earlier failures in it are no longer trusted.
        entry.failures = run.failuresBefore;
        run.pendingResult = undefined;
        break;
      }
      const isDown = outcome.status === "down";
      entry.failures = isDown ? entry.failures + 1 : 0;
      // A check that used its entire timeout may do so again, for any reason.
      entry.timedOutBefore = controller.signal.aborted;
      const { attempts: attempt, slotMs } = run;
      const { failures } = entry;
      const result = toResult(
        { monitorId, version, location, runner, slotMs, startedAtMs, attempt, failures, manual: false },
        outcome,
      );
      run.silentAddress = isDown ? addressToTrace(target.kind, outcome) : undefined;
      run.pendingResult = result;
      const isTaken = isDown
        ? evidencePolicy.isDue(outcome, entry.publishedEvidence)
        : fingerprints.good(entry.kept, outcome, startedAtMs);
      if (isTaken) {
        const taken = await fingerprints.take(entry.kept, outcome, startedAtMs);
        if (entry.run !== run) {
          // The result was already published without it.
          entry.kept.sentMs = undefined;
          return;
        }
        result.fingerprint = taken && JSON.stringify(taken.fingerprint);
        if (isDown) result.evidence = evidencePolicy.textOf(outcome, keepBody, taken);
      }
      // Skip a re-check that would overlap the next slot.
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
    const { pendingResult } = run;
    if (pendingResult === undefined) return;
    const status = pendingResult.status === "up" ? "up" : "down";
    // The first verdict of a new monitor is urgent. After a restart only a failure is.
    const urgent = entry.lastStatus === undefined ? entry.fresh || status === "down" : status !== entry.lastStatus;
    trace(entry, run, status);
    entry.lastStatus = status;
    if (pendingResult.evidence !== undefined)
      entry.publishedEvidence = { reason: failureReason(pendingResult), atMs: clock.now() };
    // A failure after a recovery is another one, even for the same reason.
    else if (status === "up" && entry.publishedEvidence !== undefined)
      entry.publishedEvidence = { ...entry.publishedEvidence, reason: "" };
    options.publish(pendingResult, urgent);
  }

  function trace(entry: ScheduleEntry, { silentAddress, slotMs }: SlotRun, status: "up" | "down") {
    const { monitorId } = entry.assignment;
    if (status === "up" && entry.tracedAddress !== undefined) {
      options.tracer.trace({ monitorId, slotMs, address: entry.tracedAddress, recovered: true });
      entry.tracedAddress = undefined;
    } else if (silentAddress !== undefined && entry.tracedAddress === undefined) {
      options.tracer.trace({ monitorId, slotMs, address: silentAddress, recovered: false });
      entry.tracedAddress = silentAddress;
    }
  }

  /** Ends a run early. Its result so far is published unless `keep` is "nothing". */
  function end(entry: ScheduleEntry, keep: "result" | "nothing") {
    const { run } = entry;
    if (run === undefined) return;
    if (keep === "nothing") run.pendingResult = undefined;
    else if (run.pendingResult === undefined) options.onSkipped();
    finish(entry, run);
    run.wake?.();
    run.controller.abort(cancelled);
  }

  return {
    /** Runs a slot with its re-checks and publishes one result. Ends a run that is still under way. */
    begin(entry: ScheduleEntry, slotMs: number, how: Punctuality) {
      end(entry, "result");
      entry.begunSlotMs = slotMs;
      const run: SlotRun = {
        slotMs,
        controller: new AbortController(),
        attempts: 0,
        failuresBefore: entry.failures,
        pendingResult: undefined,
        silentAddress: undefined,
        wake: undefined,
      };
      entry.run = run;
      void carryOut(entry, run, how);
    },
    end,
  };
}

/** Only for kinds whose path is the one that packets of `ping` take. */
function addressToTrace(kind: CheckType, { error, silence }: CheckVerdict): string | undefined {
  const isSilent = (kind === "icmp" || kind === "tcp") && error?.kind === "timeout" && silence?.of === "host";
  return isSilent ? silence.addresses[0] : undefined;
}

export type SlotRunner = ReturnType<typeof createSlotRunner>;

export interface ScheduleEntry extends QueuedItem {
  assignment: Assignment;
  /** The newest slot begun by this runner; -Infinity before the first. */
  begunSlotMs: number;
  failures: number;
  lastStatus: "up" | "down" | undefined;
  /** Created or changed while this runner was running: a user waits for the first result. */
  fresh: boolean;
  timedOutBefore: boolean;
  publishedEvidence: PublishedEvidence | undefined;
  /** Traced at the first timeout of an outage, and to be traced again when it recovers. */
  tracedAddress: string | undefined;
  kept: KeptFacts;
  run: SlotRun | undefined;
}

/** One slot: its first check and the re-checks after a failure. */
export interface SlotRun {
  slotMs: number;
  controller: AbortController;
  attempts: number;
  failuresBefore: number;
  /** The result so far. Published at the end, because a re-check may replace it. */
  pendingResult: CheckResult | undefined;
  /** The address that did not answer, if its route is worth tracing. */
  silentAddress: string | undefined;
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
    timedOutBefore: false,
    publishedEvidence: undefined,
    tracedAddress: undefined,
    kept: {},
    run: undefined,
  };
}
