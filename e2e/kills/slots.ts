import { slotAfter } from "@sonde/kit/time/slots";
import type { Untouched } from "./monitors.ts";
import type { StoredCheck } from "./stored.ts";

/** `atMs` is in epoch milliseconds. */
export interface Kill {
  name: string;
  atMs: number;
}

export interface Missing {
  monitorId: number;
  slotMs: number;
  /** The runner kill that caused the loss. `aheadMs`: time from the target's request to the kill, 0 without one. */
  kill?: Kill;
  aheadMs?: number;
  /** The healthy target received a request and no kill explains the loss, so a result was lost. */
  resultLost?: true;
}

export interface Slots {
  expected: number;
  stored: number;
  missing: Missing[];
}

/**
 * A killed runner loses running checks (250 ms at a slow target) and results that wait for their batch (2 s) and for
 * the bus. On a busy machine, checks start late and each of these takes longer.
 */
const [maxLateMs, maxAheadMs] = [6000, 3000];

/** Finds slots of untouched monitors that history lacks, and the runner kills that explain them. */
export function accountForSlots(
  untouched: readonly Untouched[],
  checks: readonly StoredCheck[],
  arrivals: ReadonlyMap<number, readonly number[]>,
  kills: readonly Kill[],
  untilMs: number,
): Slots {
  const stored = new Set(checks.map(({ monitorId, slotMs }) => `${monitorId}/${slotMs}`));
  const ofRunners = kills.filter(({ name }) => name.startsWith("probe-runner"));
  const missing: Missing[] = [];
  let expected = 0;
  for (const { id, key, kind, intervalMs, createdAtMs } of untouched) {
    for (let slotMs = slotAfter(id, intervalMs, createdAtMs); slotMs < untilMs; slotMs += intervalMs) {
      expected++;
      if (stored.has(`${id}/${slotMs}`)) continue;
      const kill = ofRunners.find(({ atMs }) => slotMs <= atMs && slotMs > atMs - maxLateMs);
      const arrivedMs = arrivals.get(key)?.find((atMs) => atMs >= slotMs && atMs < slotMs + intervalMs / 2);
      const wasRequested = arrivedMs !== undefined && arrivedMs <= (kill?.atMs ?? 0);
      const aheadMs = kill !== undefined && wasRequested ? kill.atMs - arrivedMs : 0;
      if (kill !== undefined && aheadMs <= maxAheadMs) missing.push({ monitorId: id, slotMs, kill, aheadMs });
      else if (kind === "flap" || arrivedMs === undefined) missing.push({ monitorId: id, slotMs });
      else missing.push({ monitorId: id, slotMs, resultLost: true });
    }
  }
  return { expected, stored: expected - missing.length, missing };
}

export function maxMissedPerKill({ missing }: Slots): number {
  const counts = new Map<Kill, number>();
  for (const { kill } of missing) if (kill !== undefined) counts.set(kill, (counts.get(kill) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/**
 * Target and runners share a clock. A runner that stalls after it recorded the start sends its request later than
 * reported. Slots of a monitor are at least seven seconds apart.
 */
const [earlyMs, lateMs] = [50, 1500];

/** Returns checks that report a response although the target received no request. Each request counts for one check. */
export function unknownToTarget(
  checks: readonly StoredCheck[],
  arrivals: ReadonlyMap<number, readonly number[]>,
  keyOf: ReadonlyMap<number, number>,
): StoredCheck[] {
  const left = new Map([...arrivals].map(([key, times]) => [key, times.toSorted((a, b) => a - b)]));
  const unknown: StoredCheck[] = [];
  for (const check of checks.toSorted((a, b) => a.startedAtMs - b.startedAtMs)) {
    const key = keyOf.get(check.monitorId);
    if (key === undefined || !check.answered) continue;
    const times = left.get(key) ?? [];
    const { startedAtMs, tookMs } = check;
    while (times[0] !== undefined && times[0] < startedAtMs - earlyMs) times.shift();
    if (times[0] === undefined || times[0] > startedAtMs + tookMs + lateMs) unknown.push(check);
    else times.shift();
  }
  return unknown;
}
