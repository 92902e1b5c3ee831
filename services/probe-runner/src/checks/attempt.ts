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

/** One run of a target, its deadline included. */
export interface ProbeJob {
  target: ProbeTarget;
  timeoutMs: number;
  /** The target ran into its timeout last time. */
  suspect: boolean;
  /** Aborted with `cancelled` to give the check up. */
  controller: AbortController;
}

export interface AttemptOutcome {
  /** Epoch milliseconds; when the check began, not when it was due. */
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
  /** Without the bus a failure may as well be ours. */
  busConnected(): boolean;
}

const timeUp = Symbol("time is up");

/** The trouble of a check by hand that found no capacity. */
export const noCapacity = "no capacity for a check by hand";

/** Carries out checks within the limits, and keeps the runner's own trouble out of their outcomes. */
export function createChecker(options: CheckerOptions) {
  const { clock, lag, reach, resolver, guard, judging, log } = options;
  const limits = createCheckLimits(options.limits);
  const manual = createManualConcurrency(clock, options.limits.total);
  const trouble = watchTrouble(clock);
  const memory = createMemory();

  // A probe never rejects; should one, its share must still be given back.
  function ownFault(error: unknown): ProbeOutcome {
    log.error({ err: error }, "a probe threw an error");
    return { status: "none", trouble: "a fault of the probe" };
  }

  function believe(error: unknown): undefined {
    log.error({ err: error }, "checking the runner's own network failed");
  }

  async function probe({ target, timeoutMs, controller }: ProbeJob): Promise<AttemptOutcome> {
    const startedAtMs = clock.now();
    const startedMs = clock.elapsedMs();
    const { signal } = controller;
    if (signal.aborted) return { startedAtMs, outcome: { status: "none", trouble: "cancelled" } };
    const clear = clock.setTimeout(() => controller.abort(timeUp), timeoutMs);
    const held = memory.open();
    const context = { signal, clock, resolver, guard, judging, timeoutMs, onAlive: reach.alive, memory: held };
    lag.begin();
    const found = await runProbe(target, context).catch(ownFault);
    clear();
    held.close();
    const judged = found.status === "down" ? judge(found, timeoutMs, startedMs) : found;
    lag.end();
    const outcome = await unlessOurs(judged, startedMs);
    return { startedAtMs, outcome: target.invert === true ? inverted(outcome) : outcome };
  }

  async function unlessOurs(outcome: ProbeOutcome, startedMs: number): Promise<ProbeOutcome> {
    if (outcome.status !== "down" || outcome.silence === undefined) return outcome;
    const trouble = await reach.ownTrouble(outcome.silence, startedMs).catch(believe);
    return trouble === undefined ? outcome : { status: "none", trouble };
  }

  // A failure counts only where the runner itself was well. A wrong status is the target's own word in any case.
  function judge(outcome: CheckVerdict, timeoutMs: number, startedMs: number): ProbeOutcome {
    const kind = outcome.error?.kind;
    if (kind === "status" || kind === "blocked") return outcome;
    if (lag.maxLagSince(startedMs) > timeoutMs / 4) return { status: "none", trouble: "the loop stood still" };
    if (kind !== "assertion" && !options.busConnected()) return { status: "none", trouble: "disconnected from NATS" };
    return outcome;
  }

  return {
    /** A check of the schedule. Never rejects. */
    run(job: ProbeJob): Promise<AttemptOutcome> {
      const { host } = job.target;
      return new Promise((resolve) => {
        const applicant: Applicant = {
          host,
          suspect: job.suspect,
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
    /** A manual check, with a concurrency of its own; `none` with `noCapacity` if that is used up. Never rejects. */
    async runManual(job: ProbeJob): Promise<AttemptOutcome> {
      const refused: AttemptOutcome = { startedAtMs: clock.now(), outcome: { status: "none", trouble: noCapacity } };
      const carried = (await manual.run(() => probe(job))) ?? refused;
      count(job, carried.outcome);
      return carried;
    },
    inFlight: () => limits.inFlight() + manual.taken(),
    waiting: () => limits.waiting(),
    /** What keeps this runner from checking at the moment. */
    trouble: trouble.present,
  };
}

export type Checker = ReturnType<typeof createChecker>;

function count({ target, controller }: ProbeJob, outcome: ProbeOutcome) {
  if (outcome.status !== "none") runnerMetrics.checks.inc({ kind: target.kind, status: outcome.status });
  else if (controller.signal.reason !== cancelled) runnerMetrics.ownTrouble.inc({ reason: outcome.trouble });
}
