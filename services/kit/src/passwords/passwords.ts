import { hash, verify } from "@node-rs/argon2";
import { createLimiter } from "../concurrency/limiter.ts";
import { AppError, unavailable } from "../errors.ts";
import { randomBytes } from "node:crypto";

/** argon2id with 19 MiB and two passes, OWASP's first choice. Runs in threads of the library. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const maxWaiting = 100;

export type Hashing = {
  hash(password: string): Promise<string>;
  /** `known` is null for a missing user; this takes the same time. */
  verify(known: string | null, password: string): Promise<boolean>;
};

/** A hash takes 19 MiB and 20 ms of a core. Only one runs at a time, so a flood cannot delay checks. */
export type Passwords = {
  /**
   * Keys take turns, so one address with many requests does not delay the others.
   * @throws AppError `too_many` if the queue is full; `unavailable` if the caller disconnected
   */
  inTurn<Result>(key: string, work: (hashing: Hashing) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

export async function createPasswords(service: string): Promise<Passwords> {
  const refusal = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });
  const limiter = createLimiter<string>({ total: 1, waiting: maxWaiting, refusal });
  const dummyHash = await hash(randomBytes(32), cost);
  const hashing: Hashing = {
    hash: (password) => hash(password, cost),
    verify: async (known, password) => {
      const matches = await verify(known ?? dummyHash, password);
      return matches && known !== null;
    },
  };
  return {
    inTurn: (key, work, signal) =>
      limiter.run(key, () => {
        if (signal?.aborted) throw unavailable(service, signal.reason);
        return work(hashing);
      }),
  };
}
