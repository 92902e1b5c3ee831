import { createCache } from "@sonde/kit/cache";
import { AppError } from "@sonde/kit/errors";
import { hash } from "node:crypto";

const maxKeys = 50_000;
/** Rates are per minute, so no key needs to wait longer. */
const maxMs = 60_000;

export function createKeyMemory(nowMs: () => number = () => performance.now(), max = maxKeys) {
  const accepted = createCache<string, true>({ max });
  const waitsUntilMs = createCache<string, number>({ max });
  return {
    markOf: (authorization: string): string => hash("sha256", authorization, "base64"),
    /** Such reports have their own, larger limits. */
    wasAccepted: (mark: string): boolean => accepted.has(mark),
    /** Rejects a key whose retry delay has not passed, without reading the body. @throws AppError `too_many` */
    refuseWaiting(mark: string): void {
      const leftMs = (waitsUntilMs.get(mark) ?? 0) - nowMs();
      if (leftMs <= 0) return void waitsUntilMs.delete(mark);
      const retryAfterSeconds = Math.ceil(leftMs / 1000);
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
    },
    /** @param retryAfter the Retry-After header, in seconds */
    learn(mark: string, status: number, retryAfter?: string): void {
      if (status === 401) accepted.delete(mark);
      else if (status < 300) accepted.set(mark, true);
      const waitMs = Math.min(maxMs, Number(retryAfter) * 1000);
      if (status === 429 && waitMs > 0) waitsUntilMs.set(mark, nowMs() + waitMs);
    },
  };
}
