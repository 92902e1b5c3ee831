import type { Database } from "@sonde/kit/postgres/database";
import type { KeyScope } from "@sonde/proto/http/keys";

/** Times are epoch milliseconds. */
export type StoredKey = {
  id: number;
  userId: number;
  username: string;
  name: string;
  prefix: string;
  scopes: KeyScope[];
  allowFrom: string[];
  createdAtMs: number;
  createdBy: string;
  expiresAtMs: number | null;
  lastUsedAtMs: number | null;
  lastUsedFrom: string | null;
};
type NewKey = Omit<StoredKey, "id" | "username" | "lastUsedAtMs" | "lastUsedFrom">;

const columns = ["apiKeys.*", "users.username"] as const;

/** @param db for changes other than `markUsed`: a transaction that holds the owner's row lock */
export function keyStore(db: Database) {
  const keys = () => db("apiKeys").join("users", "users.id", "apiKeys.userId");
  return {
    list: (userId: number | null): Promise<StoredKey[]> =>
      keys()
        .modify((query) => userId !== null && void query.where("userId", userId))
        .orderBy("apiKeys.id", "desc")
        .select<StoredKey[]>(columns),
    find: (id: number): Promise<StoredKey | undefined> =>
      keys().where("apiKeys.id", id).first<StoredKey | undefined>(columns),
    countOf: async (userId: number): Promise<number> => {
      const count = await db("apiKeys").where({ userId }).count<{ count: number }[]>("* as count");
      return count[0]?.count ?? 0;
    },
    insert: async (key: NewKey): Promise<number> => {
      const [row] = await db("apiKeys").insert(key).returning<{ id: number }[]>("id");
      return row!.id;
    },
    update: async (id: number, fields: Partial<NewKey>): Promise<void> => {
      await db("apiKeys").where({ id }).update(fields);
    },
    delete: async (id: number): Promise<void> => {
      await db("apiKeys").where({ id }).delete();
    },
    deleteOfUser: async (userId: number): Promise<void> => {
      await db("apiKeys").where({ userId }).delete();
    },
    /** Several gateways report uses: keep the latest. */
    markUsed: async (id: number, atMs: number, address: string): Promise<void> => {
      await db("apiKeys")
        .where({ id })
        .whereRaw("coalesce(last_used_at_ms, 0) < ?", [atMs])
        .update({ lastUsedAtMs: atMs, lastUsedFrom: address });
    },
  };
}
