import { slotAfter } from "@sonde/kit/time/slots";
import type { Untouched } from "./monitors.ts";
import type { StoredCheck } from "./stored.ts";

/** A service was killed at an instant, epoch milliseconds. */
export interface Kill {
  name: string;
  atMs: number;
}

/** A slot that history lacks. */
export interface Missing {
  monitorId: number;
  slotMs: number;
  /** The kill of a runner that took it along, and how long before that its request was at the target, if it was. */
  kill?: Kill;
  aheadMs?: number;
  /** No runner's end explains it, and yet the target, always well, had been asked: its result was lost. */
  askedInVain?: true;
}

export interface Slots {
  expected: number;
  stored: number;
  missing: Missing[];
}

/**
 * A killed runner takes along checks under way (250 ms at a slow target) and results that wait for their batch (2 s)
 * and for the bus. Where its machine is busy, slots begin late and each of these takes longer.
 */
const [maxLateMs, maxAheadMs] = [6000, 3000];

/** Which slots of untouched monitors history lacks, and whose end that was, if anybody's. */
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
  for (const { id, key, kind, intervalMs, madeAtMs } of untouched) {
    for (let slotMs = slotAfter(id, intervalMs, madeAtMs); slotMs < untilMs; slotMs += intervalMs) {
      expected++;
      if (stored.has(`${id}/${slotMs}`)) continue;
      const kill = ofRunners.find(({ atMs }) => slotMs <= atMs && slotMs > atMs - maxLateMs);
      const arrivedMs = arrivals.get(key)?.find((atMs) => atMs >= slotMs && atMs < slotMs + intervalMs / 2);
      const wasAsked = arrivedMs !== undefined && arrivedMs <= (kill?.atMs ?? 0);
      const aheadMs = kill !== undefined && wasAsked ? kill.atMs - arrivedMs : 0;
      if (kill !== undefined && aheadMs <= maxAheadMs) missing.push({ monitorId: id, slotMs, kill, aheadMs });
      else if (kind === "flap" || arrivedMs === undefined) missing.push({ monitorId: id, slotMs });
      else missing.push({ monitorId: id, slotMs, askedInVain: true });
    }
  }
  return { expected, stored: expected - missing.length, missing };
}

/** Most slots that one kill of a runner took along. */
export function maxMissedPerKill({ missing }: Slots): number {
  const counts = new Map<Kill, number>();
  for (const { kill } of missing) if (kill !== undefined) counts.set(kill, (counts.get(kill) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/**
 * The target's clock and a runner's are the same. A runner that its machine holds up after it noted its beginning asks
 * later than its figures say; a monitor's slots are seven seconds apart at least.
 */
const [earlyMs, lateMs] = [50, 1500];

/** Stored checks that had an answer and of which the target knows nothing; each request is one check. */
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
