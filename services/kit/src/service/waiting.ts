import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "./log.ts";

const firstPeriodMs = 60_000;

/**
 * Logs a wait: each reason once, then how often it recurred after 1, 2, 4 … minutes, and the end.
 * @param subject What we wait for, with its address: `PostgreSQL at db:5432`.
 * @param explain Better words for some faults.
 */
export function reportWait(
  log: Log,
  subject: string,
  { now = () => performance.now(), explain }: { now?: () => number; explain?: (fault: unknown) => string | null } = {},
) {
  let reason: string | undefined;
  let attempts = 0;
  let dueMs = 0;
  let periodMs = firstPeriodMs;
  return {
    failed(fault: unknown) {
      const met = explain?.(fault) ?? reasonOf(fault);
      attempts++;
      if (met !== reason) {
        [reason, attempts, periodMs] = [met, 1, firstPeriodMs];
        dueMs = now() + periodMs;
        log.warn({ reason }, `waiting for ${subject}`);
      } else if (now() >= dueMs) {
        periodMs *= 2;
        dueMs = now() + periodMs;
        log.warn({ reason, attempts }, `still waiting for ${subject}`);
      }
    },
    over() {
      if (reason !== undefined) log.info({ attempts }, `${subject} is reachable`);
      reason = undefined;
    },
  };
}

export type Wait = ReturnType<typeof reportWait>;

/**
 * Runs a step until it succeeds, at growing intervals of up to two seconds, and logs what it waits for.
 * @throws errors that it does not wait for, and any once `signal` is aborted
 */
export async function untilReady<Result>(
  wait: Wait,
  run: () => Promise<Result>,
  { waitsFor = () => true, signal }: { waitsFor?: (thrown: unknown) => boolean; signal?: AbortSignal | undefined } = {},
): Promise<Result> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2000)) {
    signal?.throwIfAborted();
    try {
      const result = await run();
      wait.over();
      return result;
    } catch (thrown) {
      if (signal?.aborted || !waitsFor(thrown)) throw thrown;
      wait.failed(thrown);
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** The reason in words: of several attempts that of each, and the cause if it has more detail. */
export function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return String(fault);
  if (fault instanceof AggregateError && fault.message === "")
    return [...new Set(fault.errors.map(reasonOf))].join("; ");
  const cause = fault.cause instanceof Error ? reasonOf(fault.cause) : "";
  return cause === "" || fault.message.includes(cause) ? fault.message : `${fault.message}: ${cause}`;
}
