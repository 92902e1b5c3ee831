/** What is known of a job before it runs. */
export type JobEstimate = {
  /** Processor time that it will probably take. */
  costMs: number;
  /** How much it takes to hold while it waits. */
  characters: number;
};

export type QueueOptions = {
  /** More jobs than this are rejected. */
  maxJobs: number;
  /** The same for the characters of all that wait. */
  maxCharacters: number;
  /** A job that costs more counts as one that costs this. */
  maxCostMs: number;
  /** A job of `maxCostMs` lets those go first that cost nothing and come at most this much later. */
  maxYieldMs: number;
};

type Waiting<Job> = { job: Job; characters: number; sinceMs: number; rankMs: number };

/** Jobs that wait for their turn; times are of one monotonic clock, in milliseconds. */
export type OffloadQueue<Job> = {
  /** False if there is no room. */
  add(job: Job, expected: JobEstimate, nowMs: number): boolean;
  take(): Job | undefined;
  /** All that came at this time or before. */
  takeUntil(sinceMs: number): Job[];
  takeAll(): Job[];
  /** When the one came that waits longest. */
  oldestMs(): number | undefined;
};

/**
 * The cheaper a job, the sooner its turn; but each costs a bounded time of waiting only, so that a costly one is not
 * put off by cheap ones for ever. All grow old alike, so that the order of two jobs never changes.
 */
export function createOffloadQueue<Job>(options: QueueOptions): OffloadQueue<Job> {
  const { maxJobs, maxCharacters, maxCostMs, maxYieldMs } = options;
  let queue: Waiting<Job>[] = [];
  let characters = 0;

  function remove(isRemoved: (waiting: Waiting<Job>) => boolean): Job[] {
    const removed = queue.filter(isRemoved);
    queue = queue.filter((waiting) => !isRemoved(waiting));
    characters = queue.reduce((sum, waiting) => sum + waiting.characters, 0);
    return removed.map(({ job }) => job);
  }

  return {
    add(job, expected, nowMs) {
      if (queue.length >= maxJobs || characters + expected.characters > maxCharacters) return false;
      const rankMs = nowMs + maxYieldMs * Math.min(1, expected.costMs / maxCostMs);
      const at = queue.findIndex((waiting) => waiting.rankMs > rankMs);
      queue.splice(at < 0 ? queue.length : at, 0, { job, characters: expected.characters, sinceMs: nowMs, rankMs });
      characters += expected.characters;
      return true;
    },
    take() {
      const first = queue.shift();
      characters -= first?.characters ?? 0;
      return first?.job;
    },
    takeUntil: (untilMs) => remove(({ sinceMs }) => sinceMs <= untilMs),
    takeAll: () => remove(() => true),
    oldestMs: () => (queue.length === 0 ? undefined : Math.min(...queue.map(({ sinceMs }) => sinceMs))),
  };
}
