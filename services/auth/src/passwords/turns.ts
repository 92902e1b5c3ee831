import { AppError, unavailable } from "@sonde/kit/errors";

type Waiting = { start: () => void; refuse: (error: AppError) => void };

/** Work that is done one piece at a time. */
export type Turns = {
  /**
   * Does the work when its turn comes. Lanes take turns, so that one address with many requests delays nobody else.
   * @throws AppError `too_many` when too much waits; `unavailable` when the caller is gone before its turn
   */
  take<Result>(lane: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

/** @param most pieces that may wait; when they do, a newcomer pushes out the last of the longest lane, or must go. */
export function createTurns(most: number): Turns {
  /** In the order of their next turn; none is empty. */
  const lanes = new Map<string, Waiting[]>();
  let waiting = 0;
  let busy = false;

  const next = () => {
    const first = lanes.entries().next().value;
    if (busy || first === undefined) return;
    const [lane, queue] = first;
    const turn = queue.shift();
    lanes.delete(lane);
    if (queue.length > 0) lanes.set(lane, queue);
    waiting--;
    busy = true;
    turn?.start();
  };
  const end = () => {
    busy = false;
    next();
  };
  const full = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });

  const makeRoom = (lane: string) => {
    let longest = lanes.get(lane) ?? [];
    const own = longest.length;
    for (const queue of lanes.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own + 1) throw full();
    longest.pop()?.refuse(full());
    waiting--;
  };

  return {
    async take(lane, work, signal) {
      if (waiting >= most) makeRoom(lane);
      const turn = Promise.withResolvers<void>();
      const queue = lanes.get(lane) ?? [];
      queue.push({ start: turn.resolve, refuse: turn.reject });
      lanes.set(lane, queue);
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
