import type { Database } from "@sonde/kit/postgres/database";
import type { KeyScope } from "@sonde/proto/http/keys";
import type { Account } from "../users/store.ts";

export type SessionKey = { id: number; scopes: KeyScope[]; allowFrom: string[] };
type SessionUser = Omit<Account, "emailVerified">;
/** The authoritative session; the bucket mirrors it. */
export type StoredSession = { tokenHash: string; expiresAtMs: number; user: SessionUser; key: SessionKey | null };

/** Times are epoch milliseconds. */
type NewSession = {
  tokenHash: string;
  userId: number;
  startedAtMs: number;
  expiresAtMs: number;
  address: string;
  client: string | null;
  provedAtMs: number;
};
/** Details are `null` if an earlier version opened the session. */
type ListedSession = Pick<NewSession, "tokenHash" | "expiresAtMs"> & {
  id: number;
  startedAtMs: number | null;
  address: string | null;
  client: string | null;
};

type Row = Omit<SessionUser, "id"> & { tokenHash: string; expiresAtMs: number; userId: number } & (
    | { keyId: null }
    | { keyId: number; scopes: KeyScope[]; allowFrom: string[] }
  );

const columns = [
  "sessions.tokenHash",
  "sessions.expiresAtMs",
  "users.id as userId",
  "users.username",
  "users.email",
  "users.role",
  "users.status",
  "users.createdAtMs",
  "apiKeys.id as keyId",
  "apiKeys.scopes",
  "apiKeys.allowFrom",
] as const;

/** @param db for changes: a transaction that holds the user's row lock */
export function sessionStore(db: Database) {
  const living = (nowMs: number) =>
    db("sessions")
      .join("users", "users.id", "sessions.userId")
      .leftJoin("apiKeys", "apiKeys.id", "sessions.keyId")
      .where("users.status", "active")
      .where("sessions.expiresAtMs", ">", nowMs);
  const end = async (matching: ReturnType<typeof ofUser>): Promise<string[]> => {
    const rows = await matching.delete().returning<{ hash: string }[]>("tokenHash as hash");
    return rows.map(({ hash }) => hash);
  };
  const ofUser = (userId: number) => db("sessions").where("userId", userId);
  const loginsOf = (userId: number) => ofUser(userId).whereNull("keyId");

  return {
    /** Waits for concurrent changes, and so never returns a session that is being ended. */
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
      (await living(nowMs).where("sessions.userId", userId).select<Row[]>(columns)).map(sessionOf),
    all: async (nowMs: number): Promise<StoredSession[]> => (await living(nowMs).select<Row[]>(columns)).map(sessionOf),
    usersWithExpired: async (nowMs: number): Promise<number[]> =>
      db("sessions").where("expiresAtMs", "<=", nowMs).distinct().pluck<number[]>("user_id"),

    insert: async (session: NewSession): Promise<void> => {
      await db("sessions").insert(session);
    },
    provedAt: async (tokenHash: string): Promise<number | undefined> => {
      const row = await db("sessions")
        .where({ tokenHash })
        .first<Pick<NewSession, "provedAtMs"> | undefined>("provedAtMs");
      return row?.provedAtMs ?? undefined;
    },
    prove: async (tokenHash: string, provedAtMs: number): Promise<void> => {
      await db("sessions").where({ tokenHash }).update({ provedAtMs });
    },
    insertOfKey: async (session: Pick<NewSession, "tokenHash" | "userId" | "expiresAtMs"> & { keyId: number }) => {
      await db("sessions").insert(session);
    },
    endOfKeyAt: async (keyId: number, atMs: number): Promise<void> => {
      await db("sessions").where({ keyId }).where("expiresAtMs", ">", atMs).update({ expiresAtMs: atMs });
    },
    deleteOfKey: (keyId: number, beforeMs = Number.MAX_SAFE_INTEGER): Promise<string[]> =>
      end(db("sessions").where({ keyId }).where("expiresAtMs", "<", beforeMs)),
    listOfUser: (userId: number, nowMs: number): Promise<ListedSession[]> =>
      loginsOf(userId)
        .where("expiresAtMs", ">", nowMs)
        .orderBy([{ column: "expiresAtMs", order: "desc" }, { column: "id" }])
        .select<ListedSession[]>("id", "tokenHash", "startedAtMs", "expiresAtMs", "address", "client"),
    deleteById: (userId: number, id: number): Promise<string[]> => end(loginsOf(userId).where({ id })),
    deleteLogins: (userId: number, exceptHash?: string): Promise<string[]> =>
      end(loginsOf(userId).whereNot("tokenHash", exceptHash ?? "")),
    deleteOfUser: (userId: number): Promise<string[]> => end(ofUser(userId)),
    deleteOldest: (userId: number, keep: number): Promise<string[]> => {
      const newest = loginsOf(userId).orderBy([{ column: "expiresAtMs", order: "desc" }, { column: "tokenHash" }]);
      return end(loginsOf(userId).whereNotIn("tokenHash", newest.limit(keep).select("tokenHash")));
    },
    deleteExpired: (userId: number, nowMs: number): Promise<string[]> =>
      end(ofUser(userId).where("expiresAtMs", "<=", nowMs)),
    delete: async (tokenHash: string): Promise<boolean> =>
      (await db("sessions").where("tokenHash", tokenHash).delete()) > 0,
  };
}

function sessionOf({ tokenHash, expiresAtMs, userId, ...row }: Row): StoredSession {
  const { username, email, role, status, createdAtMs } = row;
  const key = row.keyId === null ? null : { id: row.keyId, scopes: row.scopes, allowFrom: row.allowFrom };
  return { tokenHash, expiresAtMs, user: { id: userId, username, email, role, status, createdAtMs }, key };
}
