export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The start of the UTC hour, or day, that an instant lies in; epoch milliseconds. */
export const hourOf = (atMs: number) => Math.floor(atMs / hourMs) * hourMs;
export const dayOf = (atMs: number) => Math.floor(atMs / dayMs) * dayMs;

/** An instant as a bound parameter of type DateTime64(3, 'UTC'), DateTime('UTC') or Date: bare of functions, plans are short. */
export const instantText = (atMs: number) => new Date(atMs).toISOString().slice(0, 23).replace("T", " ");
export const secondText = (atMs: number) => instantText(atMs).slice(0, 19);
export const dateText = (atMs: number) => instantText(atMs).slice(0, 10);
