import type { TimerClock } from "@sonde/kit/time/clock";
import type { Egress } from "@sonde/kit/egress/url";
import type { Log } from "@sonde/kit/service/log";
import type { AssertionJudge } from "../probe/judging.ts";
import { createMemory } from "../probe/memory.ts";
import { inverted } from "../probe/outcome.ts";
import { cancelled, type ProbeOutcome } from "../probe/probe.ts";
import { runProbe, type ProbeTarget } from "../probe/probes.ts";
import { runnerMetrics } from "../telemetry.ts";
import { type Applicant, createCheckLimits, type LimitOptions, createManualConcurrency } from "./limits.ts";
import type { LoopLag } from "./loop-lag.ts";
import type { Reachability } from "./reach.ts";
import type { CheckVerdict } from "./result.ts";
import { watchTrouble } from "./trouble.ts";

export interface ProbeJob {
  target: ProbeTarget;
  timeoutMs: number;
  timedOutBefore: boolean;
  /** Abort with `cancelled` to abandon the check. */
  controller: AbortController;
}

export interface AttemptOutcome {
  /** Start of the check in epoch milliseconds; its slot may be earlier. */
  startedAtMs: number;
  outcome: ProbeOutcome;
}

export interface CheckerOptions extends Egress {
  clock: TimerClock;
  limits: LimitOptions;
  lag: LoopLag;
  reach: Reachability;
  judging: AssertionJudge;
  log: Log;
  /** Most failures observed while NATS is disconnected count as the runner's own. */
  busConnected(): boolean;
}

const timeUp = Symbol("time is up");

/** Reported when manual checks already use all of their capacity. */
export const noCapacity = "no capacity for a check by hand";

/** Runs checks within the concurrency limits, and discards failures that the runner itself caused. */
export function createChecker(options: CheckerOptions) {
  const { clock, lag, reach, resolver, guard, judging, log } = options;
  const limits = createCheckLimits(options.limits);
  const manual = createManualConcurrency(clock, options.limits.total);
  const trouble = watchTrouble(clock);
  const memory = createMemory();

  // Probes should never reject. If one does, its slot in the limits must still be released.
  function probeError(error: unknown): ProbeOutcome {
    log.error({ err: error }, "a probe threw an error");
    return { status: "none", trouble: "a fault of the probe" };
  }

  function logReachError(error: unknown): undefined {
    log.error({ err: error }, "checking the runner's own network failed");
  }

  async function probe({ target, timeoutMs, controller }: ProbeJob): Promise<AttemptOutcome> {
    const startedAtMs = clock.now();
    const startedMs = clock.elapsedMs();
    const { signal } = controller;
    if (signal.aborted) return { startedAtMs, outcome: { status: "none", trouble: "cancelled" } };
    const clear = clock.setTimeout(() => controller.abort(timeUp), timeoutMs);
    const share = memory.open();
    const context = { signal, clock, resolver, guard, judging, timeoutMs, onAlive: reach.alive, memory: share };
    lag.begin();
    const found = await runProbe(target, context).catch(probeError);
    clear();
    share.close();
    const judged = found.status === "down" ? judge(found, timeoutMs, startedMs) : found;
    lag.end();
    const outcome = await excludeOwnTrouble(judged, startedMs);
    return { startedAtMs, outcome: target.invert === true ? inverted(outcome) : outcome };
  }

  async function excludeOwnTrouble(outcome: ProbeOutcome, startedMs: number): Promise<ProbeOutcome> {
    if (outcome.status !== "down" || outcome.silence === undefined) return outcome;
    const trouble = await reach.ownTrouble(outcome.silence, startedMs).catch(logReachError);
    return trouble === undefined ? outcome : { status: "none", trouble };
  }

  // A failure counts only if the runner itself was healthy. An unexpected status or a blocked address always counts.
  function judge(outcome: CheckVerdict, timeoutMs: number, startedMs: number): ProbeOutcome {
    const kind = outcome.error?.kind;
    if (kind === "status" || kind === "blocked") return outcome;
    if (lag.maxLagSince(startedMs) > timeoutMs / 4) return { status: "none", trouble: "the loop stood still" };
    if (kind !== "assertion" && !options.busConnected()) return { status: "none", trouble: "disconnected from NATS" };
    return outcome;
  }

  return {
    /** Runs a scheduled check. Never rejects. */
    run(job: ProbeJob): Promise<AttemptOutcome> {
      const { host } = job.target;
      return new Promise((resolve) => {
        const applicant: Applicant = {
          host,
          timedOutBefore: job.timedOutBefore,
          start() {
            void probe(job).then((carried) => {
              limits.leave(applicant);
              count(job, carried.outcome);
              trouble.note(host, carried.outcome);
              resolve(carried);
            });
          },
        };
        limits.enter(applicant);
      });
    },
    /** Runs a manual check, which has separate capacity; `none` with `noCapacity` if that is used up. Never rejects. */
    async runManual(job: ProbeJob): Promise<AttemptOutcome> {
      const refused: AttemptOutcome = { startedAtMs: clock.now(), outcome: { status: "none", trouble: noCapacity } };
      const carried = (await manual.run(() => probe(job))) ?? refused;
      count(job, carried.outcome);
      return carried;
    },
    inFlight: () => limits.inFlight() + manual.taken(),
    waiting: () => limits.waiting(),
    trouble: trouble.present,
  };
}

export type Checker = ReturnType<typeof createChecker>;

function count({ target, controller }: ProbeJob, outcome: ProbeOutcome) {
  if (outcome.status !== "none") runnerMetrics.checks.inc({ kind: target.kind, status: outcome.status });
  else if (controller.signal.reason !== cancelled) runnerMetrics.ownTrouble.inc({ reason: outcome.trouble });
}
