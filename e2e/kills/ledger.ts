import type { Answer } from "./http.ts";

interface Entry {
  /** Possible states: the last acknowledged one, and those attempted since without an acknowledgement. */
  possible: Set<string>;
  /** Not written before then, so an unanswered write has either taken effect or failed before the next. */
  restingUntilMs: number;
}

export interface Ledger {
  /** Returns whether the write was acknowledged. Every 4xx is a refusal, because the requests are valid. */
  write(key: string, state: string, run: () => Promise<Answer>): Promise<boolean>;
  /** Keys that may be written now and have exactly one possible state. */
  settled(): string[];
  stateOf(key: string): string | undefined;
  /** Describes entries whose state is not possible. */
  compare(actual: (key: string, possible: ReadonlySet<string>) => string | Promise<string>): Promise<string[]>;
  counts: { acknowledged: number; unanswered: number };
  /** Acknowledged writes by request id. */
  acknowledged: Map<string, string>;
  /** Rejections of valid requests. */
  refusals: string[];
  /** Unacknowledged writes with the response, status 0 without one. */
  unanswered: string[];
}

/** The state of an object that was never created or was deleted. */
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
      const problems: string[] = [];
      for (const [key, { possible }] of entries) {
        const is = await actual(key, possible);
        if (!possible.has(is)) problems.push(`${name} ${key} is ${is}, not ${[...possible].join(" or ")}`);
      }
      return problems;
    },
  };
}
