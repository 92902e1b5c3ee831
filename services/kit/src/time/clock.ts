export interface Clock {
  /** Wall clock, epoch milliseconds. */
  now(): number;
  /** Monotonic milliseconds with fractions; for durations only. */
  elapsedMs(): number;
}

export interface TimerClock extends Clock {
  /** The returned function cancels the timer, which does not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): () => void;
}

export const systemClock: TimerClock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  setTimeout(run, delayMs) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

export interface FakeClock extends TimerClock {
  /** Runs due timers in order. */
  advance(durationMs: number): void;
  /** Steps only the wall clock, as NTP would. */
  step(offsetMs: number): void;
}

export function fakeClock(startMs = 1_750_000_000_000): FakeClock {
  let wallMs = startMs;
  let elapsedMs = 0;
  let timers: { dueMs: number; run: () => void }[] = [];
  const nextDue = (untilMs: number) =>
    timers.filter(({ dueMs }) => dueMs <= untilMs).sort((left, right) => left.dueMs - right.dueMs)[0];
  const move = (toMs: number) => {
    wallMs += toMs - elapsedMs;
    elapsedMs = toMs;
  };
  return {
    now: () => wallMs,
    elapsedMs: () => elapsedMs,
    setTimeout(run, delayMs) {
      const timer = { dueMs: elapsedMs + Math.max(0, delayMs), run };
      timers.push(timer);
      return () => void (timers = timers.filter((other) => other !== timer));
    },
    advance(durationMs) {
      const untilMs = elapsedMs + durationMs;
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        const due = timer;
        timers = timers.filter((other) => other !== due);
        move(Math.max(elapsedMs, due.dueMs));
        due.run();
      }
      move(untilMs);
    },
    step: (offsetMs) => void (wallMs += offsetMs),
  };
}

/** An instant further ahead was stored before a clock step. */
export const clocksDifferMs = 2_000;

/** Less than this is drift, or a busy process between two readings. */
const minStepMs = 1_000;

/** Instants stored before the clock was set back may be in the future, and must not block later ones. */
export type ClockSteps = {
  /** 0 if less than a second. Cheap: two readings of the clock. */
  steppedBackMs(): number;
};

export function watchClockSteps(clock: Clock): ClockSteps {
  const offsetMs = () => clock.now() - clock.elapsedMs();
  let lastMs = offsetMs();
  return {
    steppedBackMs() {
      const beforeMs = lastMs;
      lastMs = offsetMs();
      return beforeMs - lastMs > minStepMs ? beforeMs - lastMs : 0;
    },
  };
}
