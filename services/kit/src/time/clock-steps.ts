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
  /** By how much it was set back since the last call; 0 where that is less than a second. Cheap: two readings of the clock. */
  steppedBackMs(): number;
};

export function watchClockSteps(clock: Clock): ClockSteps {
  const offsetMs = () => clock.now() - clock.elapsedMs();
  let lastMs = offsetMs();
  return {
    steppedBackMs() {
      const beforeMs = lastMs;
      lastMs = offsetMs();
      return beforeMs - lastMs > leastStepMs ? beforeMs - lastMs : 0;
    },
  };
}
