import type { Database } from "@sonde/kit/postgres/database";
import { type CountedAttempt, type AttemptKind, limits, windowMs } from "./limits.ts";

export type AttemptStore = ReturnType<typeof attemptStore>;

/** Attempts are stored in PostgreSQL: they survive restarts and apply to all replicas. */
export function attemptStore(db: Database) {
  return {
    /** The newest of an address within the window, newest first; as many as the limits look at. */
    recent: async (kind: AttemptKind, address: string, nowMs: number): Promise<CountedAttempt[]> =>
      db("attempts")
        .where({ kind, address })
        .where("atMs", ">", nowMs - windowMs)
        .orderBy("atMs", "desc")
        .limit(limits[kind].perAddress)
        .select<CountedAttempt[]>("name", "atMs"),
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
