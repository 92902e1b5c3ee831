import { AppError } from "../errors.ts";

export type LimiterOptions = {
  /** How many pieces of work run at once: of all keys together, and of each key. */
  total?: number;
  perKey?: number;
  /** How many may wait for their turn; none unless given. */
  waiting?: number;
  /** The error of what finds no room because of this bound; `too_many` unless given. */
  refusal?: (bound: "total" | "perKey") => AppError;
};

type Turn = { start: (leave: () => void) => void; refuse: (reason: unknown) => void };

const tooMany = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 2 });

/**
 * Bounds work by number, in all and by key. When all places to wait are taken, a newcomer displaces the last of the longest queue, unless that is its own.
 */
export function createLimiter<Key>(options: LimiterOptions) {
  const { total = Infinity, perKey = Infinity, waiting: maxWaiting = 0, refusal = tooMany } = options;
  const running = new Map<Key, number>();
  /** In the order of their next turn; none is empty. */
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
      // Behind the other keys.
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
     * Runs the work at once, or in its turn. Keys are served in turns, so that one with many requests delays no other.
     * @param signal cancels the waiting, not the work; then it rejects with its reason
     * @throws AppError if there is no room to wait; errors of the work
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
    /** Takes a place without waiting; the answer gives it back. @throws AppError */
    enter(key: Key): () => void {
      if (!hasRoom(key)) throw refusalOf(key);
      return take(key);
    },
    /** How many are running. */
    taken: () => taken,
  };
}

export type Limiter<Key> = ReturnType<typeof createLimiter<Key>>;

/** Runs one piece of work at a time, in order. A failure does not block the next. */
export function createQueue(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const limiter = createLimiter<null>({ total: 1, waiting: Infinity });
  return (work) => limiter.run(null, work);
}
