import type { Database } from "@sonde/kit/postgres/database";
import { type CountedAttempt, type AttemptKind, limits, windowMs } from "./limits.ts";

export type AttemptStore = ReturnType<typeof attemptStore>;

/** Attempts lie in PostgreSQL: neither a restart nor another replica forgets them. */
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
