import { create } from "@bufbuild/protobuf";
import { slotAfter } from "@sonde/kit/time/slots";
import { type CheckResult, CheckResultSchema } from "@sonde/proto/gen/checks/v1/checks";
import { recheckAfterMs } from "@sonde/proto/http/monitors/check-now";
import type { ChecksAroundFailures } from "@sonde/proto/rpc/metrics";
import { endOf, type ReplayedOutage } from "../noise/replay.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Reproducible pseudo-random numbers in [0, 1) (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

export type FailedSpan = { fromMs: number; toMs: number; slow: boolean };

/** Spans in which a target fails: blips of seconds, outages of minutes and hours, and flapping. */
export function failuresIn(random: () => number, fromMs: number, toMs: number, meanGapMs: number): FailedSpan[] {
  const spans: FailedSpan[] = [];
  let atMs = fromMs;
  const add = (longestMs: number) => {
    const endMs = atMs + 1 + random() * longestMs;
    spans.push({ fromMs: atMs, toMs: endMs, slow: random() < 0.3 });
    atMs = endMs;
  };
  for (;;) {
    atMs += random() * 2 * meanGapMs;
    if (atMs >= toMs) return spans;
    const kind = random();
    if (kind < 0.9) add(kind < 0.4 ? 20 * secondMs : kind < 0.8 ? 12 * minuteMs : 3 * hourMs);
    else {
      for (let nth = 0; nth < 20; nth++) {
        add(3 * minuteMs);
        atMs += random() * 3 * minuteMs;
      }
    }
  }
}

export type RunnerOptions = {
  monitor: { id: number; version: number; intervalMs: number; timeoutMs: number; retries: number };
  location: string;
  fromMs: number;
  toMs: number;
  random: () => number;
  /** What fails from here. */
  failures: readonly FailedSpan[];
  /** Without results. */
  silent: readonly { fromMs: number; toMs: number }[];
};

/** The results that a runner publishes, as `slot-run.ts` of the runner counts and retries; some are manual. */
export function resultsOf({ monitor, location, fromMs, toMs, random, failures, silent }: RunnerOptions): CheckResult[] {
  const { id, version, intervalMs, timeoutMs, retries } = monitor;
  const results: CheckResult[] = [];
  let next = 0;
  let failed = 0;
  const failing = (atMs: number) => {
    while ((failures[next]?.toMs ?? Infinity) <= atMs) next++;
    const span = failures[next];
    return span !== undefined && span.fromMs <= atMs ? span : undefined;
  };
  const check = (startedAtMs: number) => {
    const span = failing(startedAtMs);
    const responseTimeMs = Math.round(span?.slow === true ? timeoutMs : 20 + random() * 400);
    return { startedAtMs, responseTimeMs, isDown: span !== undefined };
  };
  const add = (slotMs: number, fields: ReturnType<typeof check>, counted: number, manual: boolean) => {
    const { isDown, ...times } = fields;
    const status = isDown ? "down" : "up";
    const result = { monitorId: id, version, location, slotMs, ...times, status, failures: counted, manual };
    const made = create(CheckResultSchema, result);
    if (endOf(made) < toMs) results.push(made);
  };
  for (let slotMs = slotAfter(id, intervalMs, fromMs); slotMs < toMs; slotMs += intervalMs) {
    if (silent.some((span) => span.fromMs <= slotMs && slotMs < span.toMs)) continue;
    let made = check(Math.round(slotMs + random() * 50));
    for (;;) {
      failed = made.isDown ? failed + 1 : 0;
      const nextMs = made.startedAtMs + made.responseTimeMs + recheckAfterMs;
      if (!made.isDown || failed > retries || nextMs >= slotMs + intervalMs) break;
      made = check(nextMs);
    }
    add(slotMs, made, failed, false);
    const restMs = slotMs + intervalMs - made.startedAtMs - made.responseTimeMs;
    if (random() < 0.01 && restMs > timeoutMs + 2 * secondMs) {
      const manual = check(made.startedAtMs + made.responseTimeMs + secondMs);
      add(manual.startedAtMs, manual, manual.isDown ? 1 : 0, true);
    }
  }
  return results;
}

/** What `checksAroundFailures` of metrics returns for these results. */
export function aroundFailures(
  results: readonly CheckResult[],
  { beforeMs, afterMs }: { beforeMs: number; afterMs: number },
): ChecksAroundFailures {
  const failed = results.filter(({ status }) => status === "down").map(({ slotMs }) => slotMs);
  failed.sort((one, other) => one - other);
  let at = 0;
  const successes = new Map<string, number>();
  const kept: CheckResult[] = [];
  for (const result of results.toSorted((one, other) => one.slotMs - other.slotMs)) {
    while ((failed[at] ?? Infinity) <= result.slotMs) {
      at++;
      successes.clear();
    }
    const lastMs = failed[at - 1];
    const nth = (successes.get(result.location) ?? 0) + 1;
    successes.set(result.location, nth);
    const isAfter = lastMs !== undefined && (nth <= 14 || result.slotMs <= lastMs + afterMs);
    if (result.status === "down" || isAfter || result.slotMs >= (failed[at] ?? Infinity) - beforeMs) kept.push(result);
  }
  return {
    fromMs: 0,
    locations: [...Map.groupBy(kept, ({ location }) => location)].map(([location, own]) => ({
      location,
      checks: own.map(({ slotMs, startedAtMs, responseTimeMs, status, failures, version, manual }) => [
        slotMs,
        startedAtMs - slotMs,
        responseTimeMs,
        status === "up" ? 1 : 0,
        failures,
        version,
        manual ? 1 : 0,
      ]),
    })),
  };
}

export function finished(replaying: Generator<undefined, ReplayedOutage[]>): ReplayedOutage[] {
  for (;;) {
    const step = replaying.next();
    if (step.done === true) return step.value;
  }
}
