/** Successful checks in a row at a location that was down. Only for monitors with `recoverAfter` above 1. */
export type Recovery = { good: number; sinceMs: number };

type LocationRecovery = { failing: boolean | null; recovery?: Recovery | undefined };

/** Adds a successful check, until there are enough. */
export function recoveryAfter(
  before: LocationRecovery | undefined,
  atMs: number,
  needed: number,
): Recovery | undefined {
  const known = before?.recovery;
  if (needed < 2 || before?.failing !== true) return needed < 2 ? undefined : known;
  return known === undefined ? { good: 1, sinceMs: atMs } : { ...known, good: known.good + 1 };
}

/**
 * The recovery of the whole monitor, which is up when at least half of its locations are: that of the slowest location
 * it needs. `null` while too few locations have a successful check.
 */
export function wholeRecovery(locations: readonly LocationRecovery[], needed: number): Recovery | null {
  const recoveries = locations.map(({ failing, recovery }): Recovery | undefined =>
    failing === true ? recovery : { good: needed, sinceMs: recovery?.sinceMs ?? 0 },
  );
  const last = Math.ceil(locations.length / 2) - 1;
  const good = recoveries.map((recovery) => recovery?.good ?? 0).sort((one, other) => other - one)[last] ?? 0;
  const sinceMs = recoveries.map((recovery) => recovery?.sinceMs ?? Infinity).sort((one, other) => one - other)[last];
  return good === 0 || sinceMs === undefined ? null : { good, sinceMs };
}
