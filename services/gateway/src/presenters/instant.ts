/** Epoch milliseconds as JSON says them: ISO 8601 in UTC. */
export const instantOf = (atMs: number): string => new Date(atMs).toISOString();

/** The same where there may be none. */
export const instantOrNull = (atMs: number | undefined): string | null => (atMs === undefined ? null : instantOf(atMs));
