import type { Clock } from "./clock.ts";

/** Clocks of two machines that are kept right differ by less; an instant further ahead was kept before a step. */
export const clocksDifferMs = 2_000;

/** Less than this is drift, or a busy process between two readings. */
const leastStepMs = 1_000;

/**
 * Notices a wall clock that was set back: instants that were kept before the step may lie in the future now, and must
 * not block what comes later.
 */
export type ClockSteps = {
  /** Whether it was set back by more than a second since the last call. Cheap: two readings of the clock. */
  steppedBack(): boolean;
};

export function watchClockSteps(clock: Clock): ClockSteps {
  const offsetMs = () => clock.now() - clock.elapsedMs();
  let lastMs = offsetMs();
  return {
    steppedBack() {
      const beforeMs = lastMs;
      lastMs = offsetMs();
      return lastMs < beforeMs - leastStepMs;
    },
  };
}
