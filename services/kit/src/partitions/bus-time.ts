import { type Clock, clocksDifferMs, watchClockSteps } from "../time/clock.ts";

/** Estimates when results were stored, though this process's clock or the bus's may be wrong or set back. */
export type BusTime = {
  /** Whether our clock was set back since the last call. */
  steppedBack(): boolean;
  /**
   * When the bus stored a message, by the bus's clock. Ours may be slow, so a later instant is accepted; but a message
   * stored before our clock was set back counts as stored now at the latest.
   */
  storedAtMs(givenMs: number): number;
  /** Call with each message in turn: whether it was stored earlier than the one before, so that the bus's clock was set back. */
  busSteppedBack(givenMs: number): boolean;
};

const leastStepMs = 1_000;

export function createBusTime(clock: Clock): BusTime {
  const steps = watchClockSteps(clock);
  /** What our clock would show now had it not been set back, when it was. */
  let beforeStepMs = 0;
  let newestMs = 0;
  return {
    steppedBack() {
      const byMs = steps.steppedBackMs();
      if (byMs > 0) beforeStepMs = Math.max(beforeStepMs, clock.now() + byMs + clocksDifferMs);
      return byMs > 0;
    },
    storedAtMs: (givenMs) => (givenMs <= beforeStepMs ? Math.min(givenMs, clock.now()) : givenMs),
    busSteppedBack(givenMs) {
      const before = newestMs;
      newestMs = givenMs;
      return givenMs < before - leastStepMs;
    },
  };
}
