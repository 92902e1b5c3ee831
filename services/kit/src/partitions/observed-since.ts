import type { Clock } from "../time/clock.ts";

/**
 * Since when an owner has read without a gap. Silence before that proves nothing: "the server was down" must never
 * become "all agents are offline", nor "no monitor has data".
 */
export type ObservedSince = {
  /** Epoch ms. */
  sinceMs(): number;
  /** We were suspended, or behind, until now. */
  interrupted(): void;
  /** Called each second: a longer gap means that the process was suspended. */
  tick(): void;
  /** A message came that the bus stored at this instant: one that lay long is backlog. */
  received(storedAtMs: number): void;
};

const backlogMs = 5_000;
const standstillMs = 3_000;

export function createObservedSince(clock: Clock): ObservedSince {
  let sinceMs = clock.now();
  let tickAtMs = clock.elapsedMs();
  let tickWallMs = clock.now();
  const interrupted = () => void (sinceMs = clock.now());
  return {
    sinceMs: () => sinceMs,
    interrupted,
    tick() {
      const elapsedMs = clock.elapsedMs() - tickAtMs;
      // A suspended machine stops one clock, a step moves the other.
      const stoodStill = elapsedMs > standstillMs || Math.abs(clock.now() - tickWallMs - elapsedMs) > standstillMs;
      tickAtMs = clock.elapsedMs();
      tickWallMs = clock.now();
      if (stoodStill) interrupted();
    },
    received(storedAtMs) {
      if (clock.now() - storedAtMs > backlogMs) interrupted();
    },
  };
}
