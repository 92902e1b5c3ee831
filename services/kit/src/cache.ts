import { LRUCache } from "lru-cache";
import { type Clock, systemClock } from "./time/clock.ts";

export type CacheOptions<Key, Value> = {
  /** Entries or, with `sizeOf`, total size. */
  max: number;
  sizeOf?: (value: Value, key: Key) => number;
  ttlMs?: number;
  clock?: Clock;
};

export type Cache<Key extends {}, Value extends {}> = LRUCache<Key, Value>;

/** Evicts the least recently used entry. */
export function createCache<Key extends {}, Value extends {}>({
  max,
  sizeOf = () => 1,
  ttlMs,
  clock = systemClock,
}: CacheOptions<Key, Value>): Cache<Key, Value> {
  return new LRUCache<Key, Value>({
    // With `max`, LRUCache would allocate all slots up front.
    maxSize: max,
    sizeCalculation: sizeOf,
    // LRUCache never expires entries created at time 0.
    perf: { now: () => clock.elapsedMs() + 1 },
    ttlResolution: 0,
    ...(ttlMs !== undefined && { ttl: ttlMs, ttlAutopurge: true }),
  });
}

const maxTextLength = 300;

/** Long texts are not cached, since they may come from untrusted clients. */
export function memoize<Key extends {}, Result>(work: (key: Key) => Result, max = 500): (key: Key) => Result {
  const cached = createCache<Key, { result: Result }>({ max });
  return (key) => {
    if (typeof key === "string" && key.length > maxTextLength) return work(key);
    const found = cached.get(key);
    if (found !== undefined) return found.result;
    const result = work(key);
    cached.set(key, { result });
    return result;
  };
}

/** Shares a result while it is pending and until `freshMs` after the call started. Rejections are not cached. */
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
    const cached = answers.get(key);
    if (cached !== undefined) return cached;
    const answer = ask(input);
    answers.set(key, answer);
    answer.catch(() => answers.peek(key) === answer && answers.delete(key));
    return answer;
  };
}
