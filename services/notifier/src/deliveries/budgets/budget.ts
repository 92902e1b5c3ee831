import { createHash } from "node:crypto";
import type { Budget } from "../../channels/channel.ts";
import { longestPatienceMs } from "../backoff.ts";

/** The known requests that a provider counts. */
export type SpentRequests = { spentAtMs: readonly number[]; blockedUntilMs: number };

/** How many requests may be made now; if none, the delay until one may. `spentAtMs`: those that still count. */
export type FreeRequests = { free: number; waitMs: number; spentAtMs: number[] };

/** A provider counts arrivals, and a request may take longer to arrive than the next one. */
export const marginMs = (perMs: number): number => Math.min(1_000, Math.max(100, perMs / 10));

/** The room within a budget, by a sliding window over the single requests. */
export function roomIn(
  { requests, perMs }: Budget,
  { spentAtMs, blockedUntilMs }: SpentRequests,
  nowMs: number,
): FreeRequests {
  const windowMs = perMs + marginMs(perMs);
  // After a clock was set back, requests in the future count as made now.
  const counted = spentAtMs
    .map((atMs) => Math.min(atMs, nowMs))
    .filter((atMs) => atMs > nowMs - windowMs)
    .sort((one, other) => one - other);
  const blockedMs = Math.min(blockedUntilMs - nowMs, longestPatienceMs);
  if (blockedMs > 0) return { free: 0, waitMs: blockedMs, spentAtMs: counted };
  const free = Math.max(0, requests - counted.length);
  const nextMs = counted[counted.length - requests];
  return { free, waitMs: free > 0 || nextMs === undefined ? 0 : nextMs + windowMs - nowMs, spentAtMs: counted };
}

/** The key of a stored budget: hashed, because its name may contain a secret. */
export const budgetKey = (type: string, key: string): string =>
  createHash("sha256").update(`${type}\n${key}`).digest("base64url");
