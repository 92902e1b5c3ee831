/** Time as the code sees it; tests bring their own. */
export interface Clock {
  /** Wall clock, epoch milliseconds. */
  now(): number;
  /** Monotonic milliseconds with fractions; for durations only. */
  elapsedMs(): number;
}

/** A clock that also wakes its caller. */
export interface TimerClock extends Clock {
  /** Runs once after the delay in milliseconds; the answer takes it back. The timer keeps no process alive. */
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
  /** Lets time pass on both clocks, and runs what falls due in order of its time. */
  advance(durationMs: number): void;
  /** Steps the wall clock alone, as an operator or NTP would. */
  step(offsetMs: number): void;
}

/** A clock for tests: it stands still until it is told to move. */
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
