import type { Answer } from "./http.ts";

interface Entry {
  /** What it may be: what was acknowledged last, and what was tried since without an answer. */
  possible: Set<string>;
  /** Left alone until then, so that a write without an answer is done or forgotten before the next. */
  restingUntilMs: number;
}

/** What was written, and which states each may have by what was acknowledged. */
export interface Ledger {
  /** Writes a state; true where that was acknowledged. Any answer of 4xx is noted: the requests are valid. */
  write(key: string, state: string, run: () => Promise<Answer>): Promise<boolean>;
  /** Keys that may be written now and whose state is known. */
  settled(): string[];
  stateOf(key: string): string | undefined;
  /** What is otherwise than it may be, in words. */
  compare(actual: (key: string, possible: ReadonlySet<string>) => string | Promise<string>): Promise<string[]>;
  counts: { acknowledged: number; unanswered: number };
  /** Writes that were acknowledged, by the ids of their requests. */
  acknowledged: Map<string, string>;
  /** Answers that should not have been. */
  refusals: string[];
  /** Writes without an answer, and what came instead; 0: nothing. */
  unanswered: string[];
}

/** The state of what was never made, or was deleted. */
export const absent = "absent";

const restMs = 10_000;

export function createLedger(name: string): Ledger {
  const entries = new Map<string, Entry>();
  const counts = { acknowledged: 0, unanswered: 0 };
  const acknowledged = new Map<string, string>();
  const refusals: string[] = [];
  const unanswered: string[] = [];
  return {
    counts,
    acknowledged,
    refusals,
    unanswered,
    async write(key, state, run) {
      const entry = entries.get(key) ?? { possible: new Set([absent]), restingUntilMs: 0 };
      entries.set(key, entry);
      entry.possible.add(state);
      entry.restingUntilMs = Number.POSITIVE_INFINITY;
      const { status, body, requestId = "" } = await run();
      if (status >= 200 && status < 300) {
        entries.set(key, { possible: new Set([state]), restingUntilMs: 0 });
        counts.acknowledged++;
        acknowledged.set(requestId, `${name} ${key} to ${state}`);
        return true;
      }
      counts.unanswered++;
      entry.restingUntilMs = Date.now() + restMs;
      const list = status >= 400 && status < 500 ? refusals : unanswered;
      list.push(`${new Date().toISOString()} ${name} ${key} to ${state}: ${status} ${JSON.stringify(body)}`);
      return false;
    },
    settled: () =>
      [...entries]
        .filter(([, { possible, restingUntilMs }]) => possible.size === 1 && restingUntilMs <= Date.now())
        .map(([key]) => key),
    stateOf(key) {
      const possible = entries.get(key)?.possible;
      return possible?.size === 1 ? [...possible][0] : undefined;
    },
    async compare(actual) {
      const faults: string[] = [];
      for (const [key, { possible }] of entries) {
        const is = await actual(key, possible);
        if (!possible.has(is)) faults.push(`${name} ${key} is ${is}, not ${[...possible].join(" or ")}`);
      }
      return faults;
    },
  };
}
