import { createWorker, type JobLimits } from "@sonde/kit/offload/worker";
import type { Clock } from "@sonde/kit/time/clock";
import type { Assertion } from "@sonde/proto/http/monitors/assertions";
import { type Expectation, readTexts, type ResponseFacts, type TextValues, type WantedValue } from "./assertions.ts";

/** What an answer is held against; one expectation for each assertion. */
export interface JudgedAssertions {
  assertions: readonly Assertion[];
  expectations: readonly Expectation[];
}
/** Assertions to hold an answer against, or values that are wanted of it. */
export type JudgingJob =
  | { assertions: readonly Assertion[]; facts: ResponseFacts }
  | { wanted: readonly WantedValue[]; text: string };
export type Judged = string | undefined | TextValues;

/** How a target did so far. Its own, not its patterns': another's answer may make the same pattern slow. */
type Pace = {
  /** Turns in a row that were quick. */
  quicks: number;
  /** Turns in a row that used up the budget. */
  lates: number;
  restsUntilMs: number;
  lateFault: string;
};

/** Processor time in milliseconds. */
export type Budgets = { assertionMs: number; /** For the heavy assertions of one check together. */ checkMs: number };

/** Twenty ordinary patterns, compiled for the first time, took 50 to 65 ms in all on two cores of a server. */
const defaults: Budgets = { assertionMs: 500, checkMs: 1000 };
const quickMs = 25;
/** So often in a row a target must be quick before it is trusted to be so. */
const trustedQuicks = 20;
/** So often in a row it may be too slow before it is no longer tried for a while. */
const maxLates = 2;
const restMs = 600_000;
const breathAfterMs = 5;

/**
 * Holds answers against assertions: light ones on the loop, heavy ones in a worker thread. There are two, started on
 * demand. One is for targets that were quick many times in a row, so that these do not queue
 * behind slow or new ones; a single slow run ends that.
 * An assertion that takes longer than its budget fails, since its result cannot be known. The budget is of processor
 * time, compiling included, and each assertion has its own: many harmless patterns on a slow machine are not too slow
 * together until they use up the larger budget of the check.
 */
export function createJudging(clock: Clock, { assertionMs, checkMs }: Budgets = defaults, patience: JobLimits = {}) {
  const thread = new URL("./judging-thread.ts", import.meta.url);
  const budgets = { thread, budgetMs: checkMs, stepBudgetMs: assertionMs, ...patience };
  const quick = createWorker<JudgingJob, Judged>({ ...budgets, name: "quick assertions" });
  const others = createWorker<JudgingJob, Judged>({ ...budgets, name: "other assertions" });
  const paces = new WeakMap<JudgedAssertions["expectations"], Pace>();

  async function judgeApart(target: JudgedAssertions, from: number, facts: ResponseFacts) {
    const pace = paces.get(target.expectations) ?? { quicks: 0, lates: 0, restsUntilMs: 0, lateFault: "" };
    paces.set(target.expectations, pace);
    if (clock.elapsedMs() < pace.restsUntilMs) return pace.lateFault;
    const assertions = target.assertions.slice(from);
    const worker = pace.quicks >= trustedQuicks ? quick : others;
    const { headers, text, isCut, latencyMs } = facts;
    const job = { assertions, facts: { headers, text, isCut, latencyMs } };
    const done = await worker.run(job, { characters: text.length });
    if (done.status === "none") return { trouble: "the assertions could not be judged" };
    pace.quicks = done.status === "done" && done.costMs <= quickMs ? pace.quicks + 1 : 0;
    if (done.status === "done") {
      pace.lates = 0;
      return done.answer as string | undefined;
    }
    pace.lates++;
    if (pace.lates >= maxLates) pace.restsUntilMs = clock.elapsedMs() + restMs;
    pace.lateFault = target.expectations[from + done.progress]?.lateFault ?? "The check failed";
    return pace.lateFault;
  }

  return {
    /**
     * The fault of the first assertion that fails; undefined if none does. `trouble` is our own: the target's state is
     * unknown then. Never rejects.
     */
    async judge(target: JudgedAssertions, facts: ResponseFacts): Promise<string | { trouble: string } | undefined> {
      let sinceMs = clock.elapsedMs();
      for (const [index, expectation] of target.expectations.entries()) {
        const assertion = target.assertions[index];
        if (assertion !== undefined && isHeavy(assertion, facts)) return judgeApart(target, index, facts);
        const fault = expectation.fault(facts);
        if (fault !== undefined) return fault;
        // Each is bounded; twenty in a row would still make others late.
        if (clock.elapsedMs() - sinceMs < breathAfterMs) continue;
        await breath();
        sinceMs = clock.elapsedMs();
      }
      return undefined;
    },
    /** Values of a body as texts; a text if they cannot be had: the fault. Never rejects. */
    async valuesOf(wanted: readonly WantedValue[], text: string): Promise<TextValues | string | { trouble: string }> {
      if (text.length <= maxJsonCharacters && wanted.every(({ source }) => source === "json")) {
        return readTexts(
          wanted.map(({ property }) => property),
          text,
        );
      }
      const done = await others.run({ wanted, text }, { characters: text.length });
      if (done.status === "none") return { trouble: "the values could not be read" };
      return done.status === "done" ? (done.answer as TextValues | string) : "The values take too long to read";
    },
    stop() {
      quick.stop();
      others.stop();
    },
  };
}

export type AssertionJudge = ReturnType<typeof createJudging>;

function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** JSON that is made to be slow takes some 0.5 µs a character to read. */
const maxJsonCharacters = 16_384;
/** Looking for a text that is made to be slow compares nearly all of it at each place: some 2 ns a comparison. */
const maxComparisons = 2_000_000;

/**
 * Whether judging an assertion may block the event loop for too long (20 ms, on a slow machine), and so belongs in a
 * worker thread. A regular expression always does.
 */
export function isHeavy({ source, property = "", op, value }: Assertion, { text, headers }: ResponseFacts): boolean {
  if (op === "matches") return true;
  if (source === "json" && text.length > maxJsonCharacters) return true;
  if (op !== "contains" && op !== "notContains") return false;
  const sought = String(value ?? "").length;
  const within = source === "header" ? String(headers[property.toLowerCase()] ?? "").length : text.length;
  return sought * within > maxComparisons;
}
