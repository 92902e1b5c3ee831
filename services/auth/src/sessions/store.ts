import type { Database } from "@sonde/kit/postgres/database";
import { readUser, type User, type UserRow } from "../users/user.ts";

/** A session as PostgreSQL knows it: the truth that the bucket repeats. */
export type Session = { tokenHash: string; expiresAtMs: number; user: User };
export type SessionStore = ReturnType<typeof sessionStore>;

type Row = Omit<UserRow, "id"> & { tokenHash: string; expiresAtMs: number; userId: number };

const columns = [
  "sessions.token_hash as tokenHash",
  "sessions.expires_at_ms as expiresAtMs",
  "users.id as userId",
  "users.username",
  "users.email",
  "users.role",
  "users.status",
  "users.created_at_ms as createdAtMs",
] as const;

/** @param db a transaction that holds the user's row, for everything that changes their sessions. */
export function sessionStore(db: Database) {
  const living = (nowMs: number) =>
    db("sessions")
      .join("users", "users.id", "sessions.user_id")
      .where("users.status", "active")
      .where("expires_at_ms", ">", nowMs);

  return {
    /** Waits for whoever is changing this user or session, so that it never answers what is just ending. */
    resolve: async (tokenHash: string, nowMs: number): Promise<Session | undefined> => {
      const row = await living(nowMs)
        .where("token_hash", tokenHash)
        .forShare("users", "sessions")
        .first<Row | undefined>(columns);
      return row && sessionOf(row);
    },
    ownerOf: async (tokenHash: string): Promise<number | undefined> =>
      (await db("sessions").where("token_hash", tokenHash).first<{ id: number } | undefined>("user_id as id"))?.id,
    ofUser: async (userId: number, nowMs: number): Promise<Session[]> =>
      (await living(nowMs).where("user_id", userId).select<Row[]>(columns)).map(sessionOf),
    all: async (nowMs: number): Promise<Session[]> => (await living(nowMs).select<Row[]>(columns)).map(sessionOf),
    usersWithExpired: async (nowMs: number): Promise<number[]> =>
      db("sessions").where("expires_at_ms", "<=", nowMs).distinct().pluck<number[]>("user_id"),

    insert: async (tokenHash: string, userId: number, expiresAtMs: number): Promise<void> => {
      await db("sessions").insert({ token_hash: tokenHash, user_id: userId, expires_at_ms: expiresAtMs });
    },
    /** Ends a user's sessions, but for one; answers the hashes of those that ended. */
    deleteOfUser: async (userId: number, exceptHash?: string): Promise<string[]> => {
      const rows = await db("sessions")
        .where("user_id", userId)
        .whereNot("token_hash", exceptHash ?? "")
        .delete()
        .returning<{ hash: string }[]>("token_hash as hash");
      return rows.map(({ hash }) => hash);
    },
    /** Ends the oldest of a user's sessions until so many are left; answers the hashes of those that ended. */
    deleteOldest: async (userId: number, keep: number): Promise<string[]> => {
      const newest = db("sessions")
        .where("user_id", userId)
        .orderBy([{ column: "expires_at_ms", order: "desc" }, { column: "token_hash" }])
        .limit(keep)
        .select("token_hash");
      const rows = await db("sessions")
        .where("user_id", userId)
        .whereNotIn("token_hash", newest)
        .delete()
        .returning<{ hash: string }[]>("token_hash as hash");
      return rows.map(({ hash }) => hash);
    },
    deleteExpired: async (userId: number, nowMs: number): Promise<string[]> => {
      const rows = await db("sessions")
        .where("user_id", userId)
        .where("expires_at_ms", "<=", nowMs)
        .delete()
        .returning<{ hash: string }[]>("token_hash as hash");
      return rows.map(({ hash }) => hash);
    },
    delete: async (tokenHash: string): Promise<boolean> =>
      (await db("sessions").where("token_hash", tokenHash).delete()) > 0,
  };
}

function sessionOf({ tokenHash, expiresAtMs, userId, ...user }: Row): Session {
  return { tokenHash, expiresAtMs, user: readUser({ id: userId, ...user }) };
}
