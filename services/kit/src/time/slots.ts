/**
 * The wall-clock instants at which a monitor is due, `phase(id) + k * interval`, the same on every runner. All are
 * epoch milliseconds; intervals are whole milliseconds.
 */

/** In [0, interval). Hashed to spread the load evenly. */
export function phaseMs(id: number, intervalMs: number): number {
  return hash(id) % intervalMs;
}

export function slotAtOrBefore(id: number, intervalMs: number, atMs: number): number {
  const phase = phaseMs(id, intervalMs);
  return Math.floor((atMs - phase) / intervalMs) * intervalMs + phase;
}

export function slotAfter(id: number, intervalMs: number, atMs: number): number {
  return slotAtOrBefore(id, intervalMs, atMs) + intervalMs;
}

/** In [from, to). */
export function slotsBetween(id: number, intervalMs: number, fromMs: number, toMs: number): number {
  const phase = phaseMs(id, intervalMs);
  const before = (atMs: number) => Math.ceil((atMs - phase) / intervalMs);
  return Math.max(0, before(toMs) - before(fromMs));
}

/** The 32-bit finalizer of MurmurHash3 (public domain, Austin Appleby). */
function hash(id: number): number {
  let bits = id ^ 0x9e3779b9;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
