import { LRUCache } from "lru-cache";
import { type Clock, systemClock } from "./time/clock.ts";

export type CacheOptions<Key, Value> = {
  /** The maximum number of entries; with `sizeOf` the sum of their sizes. */
  max: number;
  sizeOf?: (value: Value, key: Key) => number;
  /** How long an entry holds. */
  ttlMs?: number;
  clock?: Clock;
};

export type Cache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/** A bounded map, newest entry first: the least recently used one is dropped. */
export function createCache<Key extends {}, Value extends {}>({
  max,
  sizeOf = () => 1,
  ttlMs,
  clock = systemClock,
}: CacheOptions<Key, Value>): Cache<Key, Value> {
  return new LRUCache<Key, Value>({
    // By `max` it would allocate for all entries at once.
    maxSize: max,
    sizeCalculation: sizeOf,
    // An entry that begins at 0 would never expire.
    perf: { now: () => clock.elapsedMs() + 1 },
    ttlResolution: 0,
    ...(ttlMs !== undefined && { ttl: ttlMs, ttlAutopurge: true }),
  });
}

const maxTextLength = 300;

/** The same function with cached results; only short texts are cached, since they may come from untrusted clients. */
export function remembered<Key extends {}, Result>(work: (key: Key) => Result, max = 500): (key: Key) => Result {
  const known = createCache<Key, { result: Result }>({ max });
  return (key) => {
    if (typeof key === "string" && key.length > maxTextLength) return work(key);
    const found = known.get(key);
    if (found !== undefined) return found.result;
    const result = work(key);
    known.set(key, { result });
    return result;
  };
}

/**
 * One answer for all callers within a short time: while it is pending, and until `freshMs` after it was begun. A
 * rejection is shared by those who waited for it, and not cached.
 */
export function share<Input, Result>(
  ask: (input: Input) => Promise<Result>,
  {
    keyOf,
    freshMs,
    clock,
    max = 1_000,
  }: { keyOf: (input: Input) => string; freshMs: number; clock: Clock; max?: number },
): (input: Input) => Promise<Result> {
  const answers = createCache<string, Promise<Result>>({ max, ttlMs: freshMs - 1, clock });
  return (input) => {
    const key = keyOf(input);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(input);
    answers.set(key, answer);
    answer.catch(() => answers.peek(key) === answer && answers.delete(key));
    return answer;
  };
}
