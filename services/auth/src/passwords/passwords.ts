import { hash, verify } from "@node-rs/argon2";
import { randomBytes } from "node:crypto";
import { createFairQueue } from "./fair-queue.ts";

/**
 * argon2id with 19 MiB and two passes (OWASP's first choice; the type is the library's default). Each runs on a
 * thread of its own beside the event loop.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const mostWaiting = 100;

export type Hashing = {
  hash(password: string): Promise<string>;
  /** `known` null, for a user who does not exist, takes as long and is false. */
  verify(known: string | null, password: string): Promise<boolean>;
};

/** Hashing costs 19 MiB and 20 ms of a core: it is done one at a time, so that no flood can make a check late. */
export type Passwords = {
  /** @param key whose turn it is, see `FairQueue`. @throws AppError `too_many` */
  inTurn<Result>(key: string, work: (hashing: Hashing) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
};

export async function createPasswords(): Promise<Passwords> {
  const queue = createFairQueue(mostWaiting);
  const nobodys = await hash(randomBytes(32), cost);
  const hashing: Hashing = {
    hash: (password) => hash(password, cost),
    verify: async (known, password) => {
      const matches = await verify(known ?? nobodys, password);
      return matches && known !== null;
    },
  };
  return { inTurn: (key, work, signal) => queue.take(key, () => work(hashing), signal) };
}
