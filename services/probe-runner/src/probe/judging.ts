import type { Clock } from "@sonde/kit/clock";
import { createLane } from "@sonde/kit/offload-lane";
import type { Assertion } from "@sonde/proto/http/assertions";
import type { Facts } from "./assertions.ts";
import { isHeavy } from "./heavy.ts";
import type { HttpTarget } from "./target.ts";

/** Holds answers against assertions: light ones on the loop, heavy ones in a worker thread. */
export interface Judging {
  /**
   * Why the first assertion that does not hold does not; undefined where all hold. `trouble` is our own: nothing can be
   * said of the target then. Never rejects.
   */
  judge(target: Judged, facts: Facts): Promise<string | { trouble: string } | undefined>;
  stop(): void;
}

export type Judged = Pick<HttpTarget, "assertions" | "expectations">;
export type JudgingJob = { assertions: readonly Assertion[]; facts: Facts };

/** How a target did so far. Its own, not its patterns': another's answer may make the same pattern slow. */
type Pace = {
  /** Processor time that it took last. */
  costMs?: number;
  /** In a row. */
  lates: number;
  restsUntilMs: number;
  lateFault: string;
};

/** Processor time for the heavy assertions of one check. */
const budgetMs = 500;
const quickMs = 25;
/** So often in a row it may be too slow before it is no longer tried for a while. */
const maxLates = 2;
const restMs = 600_000;
const breathAfterMs = 5;

/**
 * Two threads, started when they are needed: one for targets that were quick last time, which so never wait for those
 * that were slow, or that nobody knows yet. Of these the new ones are first, then those that cost least.
 */
export function createJudging(clock: Clock): Judging {
  const thread = new URL("./judging-thread.ts", import.meta.url);
  const quick = createLane<JudgingJob, string | undefined>({ thread, name: "quick assertions", budgetMs });
  const others = createLane<JudgingJob, string | undefined>({ thread, name: "other assertions", budgetMs });
  const paces = new WeakMap<Judged, Pace>();

  async function judgeApart(target: Judged, from: number, { headers, text, latencyMs }: Facts) {
    const pace = paces.get(target) ?? { lates: 0, restsUntilMs: 0, lateFault: "" };
    paces.set(target, pace);
    if (clock.elapsedMs() < pace.restsUntilMs) return pace.lateFault;
    const assertions = target.assertions.slice(from);
    const { costMs } = pace;
    const lane = costMs !== undefined && costMs <= quickMs ? quick : others;
    const expected = { characters: text.length, ...(costMs !== undefined && { costMs }) };
    const done = await lane.run({ assertions, facts: { headers, text, latencyMs } }, expected);
    if (done.status === "none") return { trouble: "the assertions could not be judged" };
    pace.costMs = done.status === "done" ? done.costMs : budgetMs;
    if (done.status === "done") {
      pace.lates = 0;
      return done.answer;
    }
    pace.lates++;
    if (pace.lates >= maxLates) pace.restsUntilMs = clock.elapsedMs() + restMs;
    const { says = "An assertion" } = target.expectations[from + done.progress] ?? {};
    pace.lateFault = `${says}, but it takes too long to tell`;
    return pace.lateFault;
  }

  return {
    async judge(target, facts) {
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
    stop() {
      quick.stop();
      others.stop();
    },
  };
}

function breath(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
