/** Epoch milliseconds as JSON has them: ISO 8601 in UTC. */
export const instantOf = (atMs: number): string => new Date(atMs).toISOString();

/** The same where there may be none: null in an answer that always names it, undefined in one that leaves it out. */
export const instantOrNull = (atMs: number | undefined): string | null => (atMs === undefined ? null : instantOf(atMs));
export const instantOrNone = (atMs: number | undefined): string | undefined =>
  atMs === undefined ? undefined : instantOf(atMs);
