import { type Clock, clocksDifferMs, watchClockSteps } from "../time/clock.ts";

const minStepMs = 1_000;

/** Corrects storage times for steps of our clock, and detects those of the bus's. */
export function createBusTime(clock: Clock) {
  const steps = watchClockSteps(clock);
  /** What our clock would show if it had not been set back. */
  let beforeStepMs = 0;
  let newestMs = 0;
  return {
    steppedBack(): boolean {
      const byMs = steps.steppedBackMs();
      if (byMs > 0) beforeStepMs = Math.max(beforeStepMs, clock.now() + byMs + clocksDifferMs);
      return byMs > 0;
    },
    /**
     * Our clock may be slow, so later instants are accepted; after it was set back, older messages count as stored now.
     */
    storedAtMs: (givenMs: number): number => (givenMs <= beforeStepMs ? Math.min(givenMs, clock.now()) : givenMs),
    /** Call with every message in order; true if one is older than its predecessor. */
    busSteppedBack(givenMs: number): boolean {
      const before = newestMs;
      newestMs = givenMs;
      return givenMs < before - minStepMs;
    },
  };
}

const backlogMs = 5_000;
const standstillMs = 3_000;

/**
 * Tracks since when an owner has read without a gap. Silence before that proves nothing: "the server was down" must
 * never become "all agents are offline" or "no monitor has data".
 */
export function createObservedSince(clock: Clock) {
  let sinceMs = clock.now();
  let tickAtMs = clock.elapsedMs();
  let tickWallMs = clock.now();
  const interrupted = () => void (sinceMs = clock.now());
  return {
    /** Epoch ms. */
    sinceMs: () => sinceMs,
    /** The process was suspended or behind until now. */
    interrupted,
    /** Call every second: a longer gap means that the process was suspended. */
    tick() {
      const elapsedMs = clock.elapsedMs() - tickAtMs;
      // Suspending a machine stops one clock; a time step moves the other.
      const stoodStill = elapsedMs > standstillMs || Math.abs(clock.now() - tickWallMs - elapsedMs) > standstillMs;
      tickAtMs = clock.elapsedMs();
      tickWallMs = clock.now();
      if (stoodStill) interrupted();
    },
    /** Old messages mean that this owner is behind. */
    received(storedAtMs: number) {
      if (clock.now() - storedAtMs > backlogMs) interrupted();
    },
  };
}
