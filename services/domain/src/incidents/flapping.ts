/** Changes within an hour that count as flapping. */
const manyChanges = 10;
const withinMs = 3_600_000;
/** Time without a change after which a target is stable again. */
const calmMs = 10 * 60_000;

/**
 * While a target is flapping, its incident stays open and counts the changes, and it is up only after two successful
 * checks in a row.
 */
export type Flapping = {
  /** Epoch ms, newest last; at most as many as count as flapping. */
  readonly changesMs: readonly number[];
  readonly isFlapping: boolean;
};

export const steady: Flapping = { changesMs: [], isFlapping: false };

/** Instants in the future date from before the clock was set back and are dropped. */
export function afterChange({ changesMs, isFlapping }: Flapping, atMs: number): Flapping {
  const recent = changesMs.filter((ms) => ms <= atMs && ms > atMs - withinMs);
  const changes = [...recent, atMs].slice(-manyChanges);
  return { changesMs: changes, isFlapping: isFlapping || changes.length >= manyChanges };
}

/** A flapping target keeps old changes, to measure how long it has been stable. */
export function forgetOldChanges(flapping: Flapping, atMs: number): Flapping {
  if (flapping.isFlapping) return flapping;
  return { ...flapping, changesMs: flapping.changesMs.filter((ms) => ms <= atMs && ms > atMs - withinMs) };
}

/** True if a flapping target had no change for ten minutes and for two intervals. */
export function isCalm({ changesMs, isFlapping }: Flapping, intervalMs: number, atMs: number): boolean {
  const last = changesMs.filter((ms) => ms <= atMs).at(-1) ?? 0;
  return isFlapping && atMs - last >= Math.max(calmMs, 2 * intervalMs);
}
