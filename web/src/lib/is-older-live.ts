/** Live figures are sent as they come; tabs and answers that cross each other differ by less. */
const crossingMs = 10_000;

/**
 * Whether live figures of one instant are older than those of another that is shown. Much older ones are not: the
 * server's clock was set back, and they are the newest there are.
 */
export function isOlderLive(instant: string | null, shown: string | null): boolean {
  if (instant === null || shown === null) return false;
  const behindMs = Date.parse(shown) - Date.parse(instant);
  return behindMs > 0 && behindMs <= crossingMs;
}
