import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "./log.ts";

const firstPeriodMs = 60_000;

/**
 * Logs each new reason once, then the number of attempts after 1, 2, 4 … minutes, and the end.
 * @param subject with its address: `PostgreSQL at db:5432`
 * @param explain better text for some errors
 */
export function reportWait(
  log: Log,
  subject: string,
  { now = () => performance.now(), explain }: { now?: () => number; explain?: (error: unknown) => string | null } = {},
) {
  let reason: string | undefined;
  let attempts = 0;
  let dueMs = 0;
  let periodMs = firstPeriodMs;
  return {
    failed(error: unknown) {
      const met = explain?.(error) ?? reasonOf(error);
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

/** Retries at intervals of up to two seconds. @throws errors that `waitsFor` rejects, any if `signal` is aborted */
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

/** Includes all errors of an aggregate, and the cause if it adds detail. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === "")
    return [...new Set(error.errors.map(reasonOf))].join("; ");
  const cause = error.cause instanceof Error ? reasonOf(error.cause) : "";
  return cause === "" || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
