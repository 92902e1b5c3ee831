import { type Clock, clocksDifferMs, watchClockSteps } from "../time/clock.ts";

const minStepMs = 1_000;

/** Estimates when results were stored, though this process's clock or the bus's may be wrong or set back. */
export function createBusTime(clock: Clock) {
  const steps = watchClockSteps(clock);
  /** What our clock would show now had it not been set back, when it was. */
  let beforeStepMs = 0;
  let newestMs = 0;
  return {
    /** Whether our clock was set back since the last call. */
    steppedBack(): boolean {
      const byMs = steps.steppedBackMs();
      if (byMs > 0) beforeStepMs = Math.max(beforeStepMs, clock.now() + byMs + clocksDifferMs);
      return byMs > 0;
    },
    /**
     * When the bus stored a message, by the bus's clock. Ours may be slow, so a later instant is accepted; but a message
     * stored before our clock was set back counts as stored now at the latest.
     */
    storedAtMs: (givenMs: number): number => (givenMs <= beforeStepMs ? Math.min(givenMs, clock.now()) : givenMs),
    /** Call with each message in turn: whether it was stored earlier than the one before, so that the bus's clock was set back. */
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
 * Since when an owner has read without a gap. Silence before that proves nothing: "the server was down" must never
 * become "all agents are offline", nor "no monitor has data".
 */
export function createObservedSince(clock: Clock) {
  let sinceMs = clock.now();
  let tickAtMs = clock.elapsedMs();
  let tickWallMs = clock.now();
  const interrupted = () => void (sinceMs = clock.now());
  return {
    /** Epoch ms. */
    sinceMs: () => sinceMs,
    /** We were suspended, or behind, until now. */
    interrupted,
    /** Called each second: a longer gap means that the process was suspended. */
    tick() {
      const elapsedMs = clock.elapsedMs() - tickAtMs;
      // A suspended machine stops one clock, a step moves the other.
      const stoodStill = elapsedMs > standstillMs || Math.abs(clock.now() - tickWallMs - elapsedMs) > standstillMs;
      tickAtMs = clock.elapsedMs();
      tickWallMs = clock.now();
      if (stoodStill) interrupted();
    },
    /** A message came that the bus stored at this instant: one that lay long is backlog. */
    received(storedAtMs: number) {
      if (clock.now() - storedAtMs > backlogMs) interrupted();
    },
  };
}
