/** Calls `run` about once a second. Returns a function that stops it. */
export type EachSecond = (run: () => void) => () => void;

const lateMs = 3_000;
const runs = new Set<() => void>();
let timer: NodeJS.Timeout | undefined;
let lastMs = 0;

/** Skips seconds whose timer was late. All callers share one timer, so an idle process wakes up once a second. */
export const everySecond: EachSecond = (run) => {
  runs.add(run);
  if (timer === undefined) {
    lastMs = performance.now();
    timer = setInterval(tick, 1_000).unref();
  }
  return () => {
    runs.delete(run);
    if (runs.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

function tick(): void {
  const nowMs = performance.now();
  const isLate = nowMs - lastMs >= lateMs;
  lastMs = nowMs;
  if (!isLate) for (const run of runs) run();
}

/** Repeats work at an interval, one run at a time. Returns a function that stops it. */
export function repeat(seconds: number, work: () => Promise<unknown>, eachSecond = everySecond): () => void {
  let passed = 0;
  let isRunning = false;
  return eachSecond(() => {
    passed++;
    if (passed < seconds || isRunning) return;
    passed = 0;
    isRunning = true;
    void work().finally(() => (isRunning = false));
  });
}
