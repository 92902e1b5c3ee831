import { hash, verify } from "@node-rs/argon2";
import { createLimiter } from "../concurrency/limiter.ts";
import { AppError, unavailable } from "../errors.ts";
import { randomBytes } from "node:crypto";

/**
 * argon2id with 19 MiB and two passes (OWASP's first choice; the type is the library's default). Each runs in a thread
 * beside the event loop.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const maxWaiting = 100;

export type Hashing = {
  hash(password: string): Promise<string>;
  /** `known` null, for a user who does not exist, takes as long and is false. */
  verify(known: string | null, password: string): Promise<boolean>;
};

/** Hashing costs 19 MiB and 20 ms of a core: it is done one at a time, so that no flood can make a check late. */
export type Passwords = {
  /**
   * Keys are served in turns, so that one address with many requests delays no other.
   * @throws AppError `too_many` when the queue is full; `unavailable` when the caller disconnected before its turn
   */
  inTurn<Result>(key: string, work: (hashing: Hashing) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

/** @param service that hashes, for its refusals */
export async function createPasswords(service: string): Promise<Passwords> {
  const refusal = () => new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 5 });
  const limiter = createLimiter<string>({ total: 1, waiting: maxWaiting, refusal });
  const nobodys = await hash(randomBytes(32), cost);
  const hashing: Hashing = {
    hash: (password) => hash(password, cost),
    verify: async (known, password) => {
      const matches = await verify(known ?? nobodys, password);
      return matches && known !== null;
    },
  };
  return {
    inTurn: (key, work, signal) =>
      limiter.run(key, () => {
        // A disconnected caller must not cost the others time.
        if (signal?.aborted) throw unavailable(service, signal.reason);
        return work(hashing);
      }),
  };
}
