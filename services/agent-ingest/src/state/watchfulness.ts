import type { Clock } from "@sonde/kit/time/clock";

/**
 * Since when an owner has listened without a gap. Silence before that proves nothing about agents: "the server was
 * away" must never become "all agents are offline".
 */
export type Watchfulness = {
  /** Epoch ms. */
  sinceMs(): number;
  /** We were away, or behind, until now. */
  interrupted(): void;
  /** Called each second: whoever was not called for longer stood still. */
  beat(): void;
  /** A message came that the bus stored at this instant: one that lay long is backlog. */
  heard(storedAtMs: number): void;
};

const backlogMs = 5_000;
const standstillMs = 3_000;

export function createWatchfulness(clock: Clock): Watchfulness {
  let sinceMs = clock.now();
  let beatAtMs = clock.elapsedMs();
  let beatWallMs = clock.now();
  const interrupted = () => void (sinceMs = clock.now());
  return {
    sinceMs: () => sinceMs,
    interrupted,
    beat() {
      const elapsedMs = clock.elapsedMs() - beatAtMs;
      // A suspended machine stops one clock, a step moves the other.
      const stoodStill = elapsedMs > standstillMs || Math.abs(clock.now() - beatWallMs - elapsedMs) > standstillMs;
      beatAtMs = clock.elapsedMs();
      beatWallMs = clock.now();
      if (stoodStill) interrupted();
    },
    heard(storedAtMs) {
      if (clock.now() - storedAtMs > backlogMs) interrupted();
    },
  };
}
