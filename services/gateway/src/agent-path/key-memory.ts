import { createCache } from "@sonde/kit/cache";
import { AppError } from "@sonde/kit/errors";
import { hash } from "node:crypto";

/** The number of keys beyond which the least recently used is forgotten; it then counts as unknown once. */
const maxKeys = 50_000;
/** A rate is counted by the minute; no key is refused for longer by what was remembered here. */
const maxMs = 60_000;

export function rememberKeys(nowMs: () => number = () => performance.now(), max = maxKeys) {
  const good = createCache<string, true>({ max });
  const waitsUntilMs = createCache<string, number>({ max });
  return {
    markOf: (authorization: string): string => hash("sha256", authorization, "base64"),
    /** Whether a report by this key was taken lately; such reports come before those of strangers. */
    isGood: (mark: string): boolean => good.has(mark),
    /** Refuses a key that agent-ingest made to wait, unread: reading is what costs. @throws AppError `too_many` */
    refuseWaiting(mark: string): void {
      const leftMs = (waitsUntilMs.get(mark) ?? 0) - nowMs();
      if (leftMs <= 0) return void waitsUntilMs.delete(mark);
      const retryAfterSeconds = Math.ceil(leftMs / 1000);
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
    },
    /** Learns from what a report was answered, and its Retry-After in seconds where it had one. */
    learn(mark: string, status: number, retryAfter?: string): void {
      if (status === 401) good.delete(mark);
      else if (status < 300) good.set(mark, true);
      const waitMs = Math.min(maxMs, Number(retryAfter) * 1000);
      if (status === 429 && waitMs > 0) waitsUntilMs.set(mark, nowMs() + waitMs);
    },
  };
}
