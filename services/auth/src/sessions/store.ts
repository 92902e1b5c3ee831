import type { Database } from "@sonde/kit/postgres/database";
import type { Account } from "../users/store.ts";

/** A session as PostgreSQL knows it: the truth that the bucket repeats. */
export type StoredSession = { tokenHash: string; expiresAtMs: number; user: Account };

/** Who logged in, from where; epoch milliseconds. */
type NewSession = {
  tokenHash: string;
  userId: number;
  startedAtMs: number;
  expiresAtMs: number;
  address: string;
  client: string | null;
};
/** The same as a list shows it. */
type KnownSession = Pick<NewSession, "tokenHash" | "expiresAtMs"> & {
  id: number;
  startedAtMs: number | null;
  address: string | null;
  client: string | null;
};

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
  /** Ends sessions; answers the hashes of their tokens. */
  const end = async (matching: ReturnType<typeof ofUser>): Promise<string[]> => {
    const rows = await matching.delete().returning<{ hash: string }[]>("tokenHash as hash");
    return rows.map(({ hash }) => hash);
  };
  const ofUser = (userId: number) => db("sessions").where("userId", userId);

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

    insert: async (session: NewSession): Promise<void> => {
      await db("sessions").insert(session);
    },
    /** Those that have not ended, the newest first. */
    listOfUser: (userId: number, nowMs: number): Promise<KnownSession[]> =>
      ofUser(userId)
        .where("expiresAtMs", ">", nowMs)
        .orderBy([{ column: "expiresAtMs", order: "desc" }, { column: "id" }])
        .select<KnownSession[]>("id", "tokenHash", "startedAtMs", "expiresAtMs", "address", "client"),
    deleteById: (userId: number, id: number): Promise<string[]> => end(ofUser(userId).where({ id })),
    /** All but one. */
    deleteOfUser: (userId: number, exceptHash?: string): Promise<string[]> =>
      end(ofUser(userId).whereNot("tokenHash", exceptHash ?? "")),
    /** Until `keep` are left. */
    deleteOldest: (userId: number, keep: number): Promise<string[]> => {
      const newest = ofUser(userId).orderBy([{ column: "expiresAtMs", order: "desc" }, { column: "tokenHash" }]);
      return end(ofUser(userId).whereNotIn("tokenHash", newest.limit(keep).select("tokenHash")));
    },
    deleteExpired: (userId: number, nowMs: number): Promise<string[]> =>
      end(ofUser(userId).where("expiresAtMs", "<=", nowMs)),
    delete: async (tokenHash: string): Promise<boolean> =>
      (await db("sessions").where("tokenHash", tokenHash).delete()) > 0,
  };
}

function sessionOf({ tokenHash, expiresAtMs, userId, ...user }: Row): StoredSession {
  return { tokenHash, expiresAtMs, user: { id: userId, ...user } };
}
