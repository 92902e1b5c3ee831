import { AppError } from "@sonde/kit/errors";

/** Keys that agent-ingest told to wait. Until then their reports are refused unread: reading them is what costs. */
export type WaitingKeys = {
  /** @throws AppError `too_many`, with the seconds that are left */
  check(mark: string): void;
  /** What a report was answered, and its Retry-After in seconds where it had one. */
  heard(mark: string, status: number, retryAfter: string | undefined): void;
};

/** A rate is counted by the minute; nobody is kept out for longer by what was remembered here. */
const longestMs = 60_000;
const mostKeys = 50_000;

export function createWaitingKeys(nowMs: () => number = () => performance.now(), most = mostKeys): WaitingKeys {
  const untilMs = new Map<string, number>();
  return {
    check(mark) {
      const leftMs = (untilMs.get(mark) ?? 0) - nowMs();
      if (leftMs > 0) {
        const retryAfterSeconds = Math.ceil(leftMs / 1000);
        throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds });
      }
      untilMs.delete(mark);
    },
    heard(mark, status, retryAfter) {
      const waitMs = Math.min(longestMs, Number(retryAfter) * 1000);
      if (status !== 429 || !(waitMs > 0)) return;
      untilMs.delete(mark);
      untilMs.set(mark, nowMs() + waitMs);
      if (untilMs.size > most) untilMs.delete(untilMs.keys().next().value as string);
    },
  };
}
