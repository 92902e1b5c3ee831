import { clocksDifferMs } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import type { Database } from "@sonde/kit/postgres/database";

export type CountedAttempt = { name: string; atMs: number };

export const windowMs = 15 * 60_000;

type Limit = { perName: number; perAddress: number; message: Message };

/**
 * Maximum attempts per window, by address and by (address, name). `codes` and `password` use the user as the address, so
 * they count from any address. `passkey` and `provider` count every start, `register` every attempt, others failures.
 */
const limits = {
  login: { perName: 10, perAddress: 100, message: "Too many failed logins, please try again later" },
  password: { perName: 10, perAddress: 10, message: "Too many requests, please try again later" },
  // Sign-ins started through providers: a whole company may share one address.
  provider: { perName: 600, perAddress: 600, message: "Too many requests, please try again later" },
  logout: { perName: 100, perAddress: 100, message: "Too many requests, please try again later" },
  register: { perName: 100, perAddress: 100, message: "Too many requests, please try again later" },
  factor: { perName: 5, perAddress: 100, message: "Too many failed logins, please try again later" },
  codes: { perName: 20, perAddress: 20, message: "Too many failed logins, please try again later" },
  passkey: { perName: 300, perAddress: 300, message: "Too many requests, please try again later" },
} as const satisfies Record<string, Limit>;
type AttemptKind = keyof typeof limits;

/** @param attempts of one kind and address in the window, newest first */
export function waitMs(kind: AttemptKind, attempts: readonly CountedAttempt[], name: string, nowMs: number): number {
  const { perName, perAddress } = limits[kind];
  // These were counted before the clock was set back, and would lock users out for that long.
  const past = attempts.filter(({ atMs }) => atMs <= nowMs + clocksDifferMs);
  const ofName = past.filter((attempt) => attempt.name === name);
  const full = [ofName[perName - 1], past[perAddress - 1]].filter((attempt) => attempt !== undefined);
  return Math.max(0, ...full.map(({ atMs }) => atMs + windowMs - nowMs));
}

/** @throws AppError `too_many` with the seconds to wait */
export function refuseTooMany(
  kind: AttemptKind,
  attempts: readonly CountedAttempt[],
  name: string,
  nowMs: number,
): void {
  const ms = waitMs(kind, attempts, name, nowMs);
  if (ms > 0) throw new AppError("too_many", limits[kind].message, { retryAfterSeconds: Math.ceil(ms / 1000) });
}

/** Stores attempts in PostgreSQL: limits survive restarts and apply across replicas. */
export function attemptStore(db: Database) {
  return {
    /** @throws AppError `too_many` with the seconds to wait */
    refuseTooMany: async (kind: AttemptKind, address: string, name: string, nowMs: number): Promise<void> => {
      const newest = db("attempts")
        .where({ kind, address })
        .where("atMs", ">", nowMs - windowMs)
        .orderBy("atMs", "desc")
        .limit(limits[kind].perAddress);
      refuseTooMany(kind, await newest.select<CountedAttempt[]>("name", "atMs"), name, nowMs);
    },
    add: async (kind: AttemptKind, address: string, name: string, nowMs: number): Promise<void> => {
      await db("attempts").insert({ kind, address, name, atMs: nowMs });
    },
    clear: async (kind: AttemptKind, address: string, name: string): Promise<void> => {
      await db("attempts").where({ kind, address, name }).delete();
    },
    forgetOld: async (nowMs: number): Promise<void> => {
      await db("attempts")
        .where("atMs", "<=", nowMs - windowMs)
        .delete();
    },
  };
}
