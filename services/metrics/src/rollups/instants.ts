export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Start of the UTC hour, or day, that contains an instant; epoch milliseconds. */
export const hourOf = (atMs: number) => Math.floor(atMs / hourMs) * hourMs;
export const dayOf = (atMs: number) => Math.floor(atMs / dayMs) * dayMs;

/** Formats parameters of type DateTime64(3, 'UTC'), DateTime('UTC') and Date. Plain values keep query plans short. */
export const instantText = (atMs: number) => new Date(atMs).toISOString().slice(0, 23).replace("T", " ");
export const secondText = (atMs: number) => instantText(atMs).slice(0, 19);
export const dateText = (atMs: number) => instantText(atMs).slice(0, 10);

/** SQL literals, never for user input: slow statements with bound parameters would block reads of the engine. */
export const instantSql = (atMs: number) => `toDateTime64('${instantText(atMs)}', 3, 'UTC')`;
export const hoursSql = (hours: readonly number[]) =>
  `(${hours.map((hour) => `toDateTime('${secondText(hour)}', 'UTC')`).join()})`;
export const daysSql = (days: readonly number[]) => `(${days.map((day) => `toDate('${dateText(day)}')`).join()})`;
