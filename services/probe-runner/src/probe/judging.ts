import { createWorker, type JobLimits } from "@sonde/kit/offload/worker";
import type { Clock } from "@sonde/kit/time/clock";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { type Expectation, readTexts, type ResponseFacts, type TextValues, type ValueToExtract } from "./assertions.ts";

/** Assertions with their compiled expectations, in the same order. */
export interface JudgedAssertions {
  assertions: readonly Assertion[];
  expectations: readonly Expectation[];
}
export type JudgingJob =
  | { assertions: readonly Assertion[]; facts: ResponseFacts }
  | { requested: readonly ValueToExtract[]; text: string };
export type Judged = string | undefined | TextValues;

/** A target's recent speed. Tracked per target, not per pattern: its slowness depends on the text. */
type Pace = {
  quickRuns: number;
  slowRuns: number;
  restsUntilMs: number;
  lateFailure: string;
};

/** CPU time in milliseconds; `checkMs` is shared by all heavy assertions of a check. */
export type Budgets = { assertionMs: number; checkMs: number };

/** For scale: compiling and running twenty ordinary patterns took 50 to 65 ms in total on a 2-core server. */
const defaults: Budgets = { assertionMs: 500, checkMs: 1000 };
const quickMs = 25;
/** Consecutive quick runs before a target may use the quick thread. */
const minQuickRuns = 20;
/** Consecutive slow runs before a target's assertions are suspended for `restMs`. */
const maxSlowRuns = 2;
const restMs = 600_000;
const yieldAfterMs = 5;

/**
 * Evaluates assertions: light ones on the event loop, heavy ones in two worker threads, started on demand. One thread
 * is reserved for targets that were quick many times in a row, so that they do not queue behind slow or new ones. A
 * single slow run revokes that.
 * An assertion that exceeds its budget fails, since its result is unknown. Budgets are CPU time and include compiling.
 * Each assertion has its own, so that many harmless patterns on a slow machine only have to fit into the larger
 * budget of the check.
 */
export function createJudging(clock: Clock, { assertionMs, checkMs }: Budgets = defaults, patience: JobLimits = {}) {
  const thread = new URL("./judging-thread.ts", import.meta.url);
  const budgets = { thread, budgetMs: checkMs, stepBudgetMs: assertionMs, ...patience };
  const quick = createWorker<JudgingJob, Judged>({ ...budgets, name: "quick assertions" });
  const others = createWorker<JudgingJob, Judged>({ ...budgets, name: "other assertions" });
  const paces = new WeakMap<JudgedAssertions["expectations"], Pace>();

  async function judgeInWorker(target: JudgedAssertions, from: number, facts: ResponseFacts) {
    const pace = paces.get(target.expectations) ?? { quickRuns: 0, slowRuns: 0, restsUntilMs: 0, lateFailure: "" };
    paces.set(target.expectations, pace);
    if (clock.elapsedMs() < pace.restsUntilMs) return pace.lateFailure;
    const assertions = target.assertions.slice(from);
    const worker = pace.quickRuns >= minQuickRuns ? quick : others;
    const { headers, text, isCut, latencyMs } = facts;
    const job = { assertions, facts: { headers, text, isCut, latencyMs } };
    const done = await worker.run(job, { characters: text.length });
    if (done.status === "none") return { trouble: "the assertions could not be judged" };
    pace.quickRuns = done.status === "done" && done.costMs <= quickMs ? pace.quickRuns + 1 : 0;
    if (done.status === "done") {
      pace.slowRuns = 0;
      return done.answer as string | undefined;
    }
    pace.slowRuns++;
    if (pace.slowRuns >= maxSlowRuns) pace.restsUntilMs = clock.elapsedMs() + restMs;
    pace.lateFailure = target.expectations[from + done.progress]?.lateFailure ?? "The check failed";
    return pace.lateFailure;
  }

  return {
    /** Returns why the first failing assertion fails. `trouble`: the runner could not evaluate it. Never rejects. */
    async judge(target: JudgedAssertions, facts: ResponseFacts): Promise<string | { trouble: string } | undefined> {
      let sinceMs = clock.elapsedMs();
      for (const [index, expectation] of target.expectations.entries()) {
        const assertion = target.assertions[index];
        if (assertion !== undefined && isHeavy(assertion, facts)) return judgeInWorker(target, index, facts);
        const failure = expectation.failure(facts);
        if (failure !== undefined) return failure;
        // Each is bounded, but twenty in a row would still delay other checks.
        if (clock.elapsedMs() - sinceMs < yieldAfterMs) continue;
        await yieldToLoop();
        sinceMs = clock.elapsedMs();
      }
      return undefined;
    },
    /** Extracts values from a body; returns a string with the error if that fails. Never rejects. */
    async valuesOf(
      requested: readonly ValueToExtract[],
      text: string,
    ): Promise<TextValues | string | { trouble: string }> {
      if (text.length <= maxJsonCharacters && requested.every(({ source }) => source === "json")) {
        return readTexts(
          requested.map(({ property }) => property),
          text,
        );
      }
      const done = await others.run({ requested, text }, { characters: text.length });
      if (done.status === "none") return { trouble: "the values could not be read" };
      return done.status === "done" ? (done.answer as TextValues | string) : "Extracting the values took too long";
    },
    stop() {
      quick.stop();
      others.stop();
    },
  };
}

export type AssertionJudge = ReturnType<typeof createJudging>;

function yieldToLoop(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Worst-case JSON takes about 0.5 µs per character to parse. */
const maxJsonCharacters = 16_384;
/** A worst-case text search compares almost the whole needle at each position, at about 2 ns per comparison. */
const maxComparisons = 2_000_000;

/** Whether evaluation might block the event loop for over 20 ms on a slow machine. */
export function isHeavy({ source, property = "", op, value }: Assertion, { text, headers }: ResponseFacts): boolean {
  if (op === "matches") return true;
  if (source === "json" && text.length > maxJsonCharacters) return true;
  if (op !== "contains" && op !== "notContains") return false;
  const sought = String(value ?? "").length;
  const within = source === "header" ? String(headers[property.toLowerCase()] ?? "").length : text.length;
  return sought * within > maxComparisons;
}
