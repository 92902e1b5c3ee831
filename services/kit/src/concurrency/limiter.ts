import { AppError } from "../errors.ts";

export type LimiterOptions = {
  /** Unlimited by default, overall and per key. */
  total?: number;
  perKey?: number;
  /** Queue length; default 0. */
  waiting?: number;
  /** `too_many` by default. */
  refusal?: (bound: "total" | "perKey") => AppError;
};

type Turn = { start: (leave: () => void) => void; refuse: (reason: unknown) => void };

const tooMany = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 2 });

/** When the queue is full, a new task displaces the last one of the key with the most, unless that is its own key. */
export function createLimiter<Key>(options: LimiterOptions) {
  const { total = Infinity, perKey = Infinity, waiting: maxWaiting = 0, refusal = tooMany } = options;
  const running = new Map<Key, number>();
  /** Ordered by next turn; contains no empty queues. */
  const queues = new Map<Key, Turn[]>();
  let taken = 0;
  let waiting = 0;

  const runningOf = (key: Key) => running.get(key) ?? 0;
  const hasRoom = (key: Key) => taken < total && runningOf(key) < perKey;
  const refusalOf = (key: Key) => refusal(runningOf(key) >= perKey ? "perKey" : "total");

  const take = (key: Key): (() => void) => {
    taken++;
    running.set(key, runningOf(key) + 1);
    return () => {
      taken--;
      if (runningOf(key) === 1) running.delete(key);
      else running.set(key, runningOf(key) - 1);
      startNext();
    };
  };
  const startNext = () => {
    for (const [key, queue] of queues) {
      if (!hasRoom(key)) continue;
      const turn = queue.shift()!;
      waiting--;
      // Move this key behind the others.
      queues.delete(key);
      if (queue.length > 0) queues.set(key, queue);
      return turn.start(take(key));
    }
  };
  const makeRoomToWait = (key: Key) => {
    const own = queues.get(key)?.length ?? 0;
    let longest: Turn[] = [];
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= own + 1) throw refusalOf(key);
    longest.pop()!.refuse(refusal("total"));
    waiting--;
  };
  const waitFor = (key: Key, signal?: AbortSignal): Promise<() => void> => {
    if (waiting >= maxWaiting) makeRoomToWait(key);
    return new Promise((resolve, reject) => {
      const turn = { start: resolve, refuse: reject };
      const queue = queues.get(key) ?? [];
      queue.push(turn);
      queues.set(key, queue);
      waiting++;
      signal?.addEventListener("abort", () => {
        const at = queue.indexOf(turn);
        if (at < 0) return;
        queue.splice(at, 1);
        if (queue.length === 0) queues.delete(key);
        waiting--;
        reject(signal.reason);
      });
    });
  };

  return {
    /**
     * Keys take turns, so one with many requests does not delay the others.
     * @param signal removes the work from the queue; does not stop running work
     * @throws AppError if the queue is full; errors of the work
     */
    async run<Result>(key: Key, work: () => Result | Promise<Result>, signal?: AbortSignal): Promise<Result> {
      signal?.throwIfAborted();
      const leave = hasRoom(key) ? take(key) : await waitFor(key, signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    /** Takes a slot without waiting; the returned function releases it. @throws AppError */
    enter(key: Key): () => void {
      if (!hasRoom(key)) throw refusalOf(key);
      return take(key);
    },
    taken: () => taken,
  };
}

export type Limiter<Key> = ReturnType<typeof createLimiter<Key>>;

/** Runs one task at a time, in order. A failure does not block the next. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const limiter = createLimiter<null>({ total: 1, waiting: Infinity });
  return (work) => limiter.run(null, work);
}
