import { AppError, unavailable } from "@sonde/kit/errors";

type Waiting = { start: () => void; refuse: (error: AppError) => void };

/** Work that is done one piece at a time. */
export type FairQueue = {
  /**
   * Does the work when its turn comes. Keys take turns, so that one address with many requests delays nobody else.
   * @throws AppError `too_many` when too much waits; `unavailable` when the caller is gone before its turn
   */
  take<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

/** @param most pieces that may wait; when they do, a newcomer pushes out the last of the longest queue, or must go. */
export function createFairQueue(most: number): FairQueue {
  /** In the order of their next turn; none is empty. */
  const queues = new Map<string, Waiting[]>();
  let waiting = 0;
  let busy = false;

  const next = () => {
    const first = queues.entries().next().value;
    if (busy || first === undefined) return;
    const [key, queue] = first;
    const turn = queue.shift();
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    waiting--;
    busy = true;
    turn?.start();
  };
  const end = () => {
    busy = false;
    next();
  };
  const full = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });

  const makeRoom = (key: string) => {
    let longest = queues.get(key) ?? [];
    const own = longest.length;
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own + 1) throw full();
    longest.pop()?.refuse(full());
    waiting--;
  };

  return {
    async take(key, work, signal) {
      if (waiting >= most) makeRoom(key);
      const turn = Promise.withResolvers<void>();
      const queue = queues.get(key) ?? [];
      queue.push({ start: turn.resolve, refuse: turn.reject });
      queues.set(key, queue);
      waiting++;
      next();
      await turn.promise;
      try {
        // Whoever no longer waits must not cost the others time.
        if (signal?.aborted) throw unavailable("auth", signal.reason);
        return await work();
      } finally {
        end();
      }
    },
  };
}
