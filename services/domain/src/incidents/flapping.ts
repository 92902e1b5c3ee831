/** The number of changes within an hour that counts as flapping. */
const manyChanges = 10;
const withinMs = 3_600_000;
/** The time without a change after which it is stable again. */
const calmMs = 10 * 60_000;

/**
 * A target that fails and recovers repeatedly. While it flaps its incident stays open and counts the changes, instead
 * of closing and opening again each time, and it is up again only after two good checks in a row.
 */
export type Flapping = {
  /** When the newest changes were, the newest last; epoch ms, at most as many as make it flap. */
  readonly changesMs: readonly number[];
  readonly isFlapping: boolean;
};

export const steady: Flapping = { changesMs: [], isFlapping: false };

/** What it is after a change. Instants in the future were kept before the clock was set back, and count no more. */
export function afterChange({ changesMs, isFlapping }: Flapping, atMs: number): Flapping {
  const recent = changesMs.filter((ms) => ms <= atMs && ms > atMs - withinMs);
  const changes = [...recent, atMs].slice(-manyChanges);
  return { changesMs: changes, isFlapping: isFlapping || changes.length >= manyChanges };
}

/** Drops changes that no longer count. While it flaps the remaining ones show how long it has been calm. */
export function forgetOldChanges(flapping: Flapping, atMs: number): Flapping {
  if (flapping.isFlapping) return flapping;
  return { ...flapping, changesMs: flapping.changesMs.filter((ms) => ms <= atMs && ms > atMs - withinMs) };
}

/** Whether something that flaps is stable again: no change for ten minutes, and for two intervals. */
export function isCalm({ changesMs, isFlapping }: Flapping, intervalMs: number, atMs: number): boolean {
  const last = changesMs.filter((ms) => ms <= atMs).at(-1) ?? 0;
  return isFlapping && atMs - last >= Math.max(calmMs, 2 * intervalMs);
}
