import type { Database } from "@sonde/kit/postgres/database";
import type { Account } from "../users/user.ts";

/** A session as PostgreSQL knows it: the truth that the bucket repeats. */
export type StoredSession = { tokenHash: string; expiresAtMs: number; user: Account };
export type SessionStore = ReturnType<typeof sessionStore>;

type Row = Omit<Account, "id"> & { tokenHash: string; expiresAtMs: number; userId: number };

const columns = [
  "sessions.tokenHash",
  "sessions.expiresAtMs",
  "users.id as userId",
  "users.username",
  "users.email",
  "users.role",
  "users.status",
  "users.createdAtMs",
] as const;

/** @param db a transaction that holds the user's row, for everything that changes their sessions. */
export function sessionStore(db: Database) {
  const living = (nowMs: number) =>
    db("sessions")
      .join("users", "users.id", "sessions.userId")
      .where("users.status", "active")
      .where("expiresAtMs", ">", nowMs);

  return {
    /** Waits for concurrent changes of this user or session, so that it never returns an ending session. */
    resolve: async (tokenHash: string, nowMs: number): Promise<StoredSession | undefined> => {
      const row = await living(nowMs)
        .where("tokenHash", tokenHash)
        .forShare("users", "sessions")
        .first<Row | undefined>(columns);
      return row && sessionOf(row);
    },
    ownerOf: async (tokenHash: string): Promise<number | undefined> =>
      (await db("sessions").where("tokenHash", tokenHash).first<{ id: number } | undefined>("userId as id"))?.id,
    ofUser: async (userId: number, nowMs: number): Promise<StoredSession[]> =>
      (await living(nowMs).where("userId", userId).select<Row[]>(columns)).map(sessionOf),
    all: async (nowMs: number): Promise<StoredSession[]> => (await living(nowMs).select<Row[]>(columns)).map(sessionOf),
    usersWithExpired: async (nowMs: number): Promise<number[]> =>
      db("sessions").where("expiresAtMs", "<=", nowMs).distinct().pluck<number[]>("user_id"),

    insert: async (tokenHash: string, userId: number, expiresAtMs: number): Promise<void> => {
      await db("sessions").insert({ tokenHash, userId, expiresAtMs });
    },
    /** Ends a user's sessions, but for one; answers the hashes of those that ended. */
    deleteOfUser: async (userId: number, exceptHash?: string): Promise<string[]> => {
      const rows = await db("sessions")
        .where("userId", userId)
        .whereNot("tokenHash", exceptHash ?? "")
        .delete()
        .returning<{ hash: string }[]>("tokenHash as hash");
      return rows.map(({ hash }) => hash);
    },
    /** Ends the oldest of a user's sessions until `keep` are left; returns the hashes of the ended ones. */
    deleteOldest: async (userId: number, keep: number): Promise<string[]> => {
      const newest = db("sessions")
        .where("userId", userId)
        .orderBy([{ column: "expiresAtMs", order: "desc" }, { column: "tokenHash" }])
        .limit(keep)
        .select("tokenHash");
      const rows = await db("sessions")
        .where("userId", userId)
        .whereNotIn("tokenHash", newest)
        .delete()
        .returning<{ hash: string }[]>("tokenHash as hash");
      return rows.map(({ hash }) => hash);
    },
    deleteExpired: async (userId: number, nowMs: number): Promise<string[]> => {
      const rows = await db("sessions")
        .where("userId", userId)
        .where("expiresAtMs", "<=", nowMs)
        .delete()
        .returning<{ hash: string }[]>("tokenHash as hash");
      return rows.map(({ hash }) => hash);
    },
    delete: async (tokenHash: string): Promise<boolean> =>
      (await db("sessions").where("tokenHash", tokenHash).delete()) > 0,
  };
}

function sessionOf({ tokenHash, expiresAtMs, userId, ...user }: Row): StoredSession {
  return { tokenHash, expiresAtMs, user: { id: userId, ...user } };
}
