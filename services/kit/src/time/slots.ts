/**
 * Slots: the wall-clock instants at which a monitor is due, `phase(id) + k * interval`, the same on every runner. All
 * instants are epoch milliseconds; an interval is a whole number of milliseconds.
 */

/** The offset of a monitor's slots within its interval, in [0, interval). Hashed, so that load spreads evenly. */
export function phaseMs(id: number, intervalMs: number): number {
  return hash(id) % intervalMs;
}

/** The newest slot that is not after the instant. */
export function slotAtOrBefore(id: number, intervalMs: number, atMs: number): number {
  const phase = phaseMs(id, intervalMs);
  return Math.floor((atMs - phase) / intervalMs) * intervalMs + phase;
}

/** The first slot after the instant. */
export function slotAfter(id: number, intervalMs: number, atMs: number): number {
  return slotAtOrBefore(id, intervalMs, atMs) + intervalMs;
}

/** The number of slots in [from, to). */
export function slotsBetween(id: number, intervalMs: number, fromMs: number, toMs: number): number {
  const phase = phaseMs(id, intervalMs);
  const before = (atMs: number) => Math.ceil((atMs - phase) / intervalMs);
  return Math.max(0, before(toMs) - before(fromMs));
}

/** The 32-bit finalizer of MurmurHash3 (public domain, Austin Appleby): neighbouring ids land far apart. */
function hash(id: number): number {
  let bits = id ^ 0x9e3779b9;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
