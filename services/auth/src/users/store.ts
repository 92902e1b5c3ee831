import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Message } from "@sonde/proto/http/messages";
import type { userSorts } from "@sonde/proto/http/users";
import { keyOf, readUser, type User, type UserRow } from "./user.ts";

export type UserFields = Pick<User, "username" | "email" | "role" | "status">;
export type UserSort = { by: (typeof userSorts)[number]; descending: boolean };
export type UserPage = {
  offset: number;
  limit: number;
  search: string;
  status: User["status"] | null;
  sort: UserSort;
};
export type UserStore = ReturnType<typeof userStore>;

const columns = ["id", "username", "email", "role", "status", "created_at_ms as createdAtMs"] as const;
const sortColumns = { username: "username_key", createdAt: "created_at_ms", role: "role", status: "status" } as const;

/** @param db a transaction where a row is locked. */
export function userStore(db: Database) {
  const users = () => db("users");
  const firstOf = async (matching: ReturnType<typeof users>): Promise<User | undefined> => {
    const row = await matching.first<UserRow | undefined>(columns);
    return row && readUser(row);
  };
  const taken = async (field: "username" | "email", value: string, exceptId = 0) =>
    (await users().where(`${field}_key`, keyOf(value)).whereNot("id", exceptId).first("id")) !== undefined;

  return {
    any: async (): Promise<boolean> => (await users().first("id")) !== undefined,
    find: (id: number): Promise<User | undefined> => firstOf(users().where({ id })),
    /** Whatever changes a user or their sessions holds the user's row until the end of the transaction. */
    lock: (id: number): Promise<User | undefined> => firstOf(users().where({ id }).forUpdate()),
    byName: (username: string): Promise<User | undefined> => firstOf(users().where("username_key", keyOf(username))),
    passwordHash: async (id: number): Promise<string | undefined> =>
      (await users().where({ id }).first<{ hash: string } | undefined>("password_hash as hash"))?.hash,

    list: async ({ offset, limit, search, status, sort }: UserPage): Promise<{ users: User[]; total: number }> => {
      const matching = users();
      if (search !== "") {
        const key = keyOf(search);
        void matching.whereRaw("(position(? in username_key) > 0 or position(? in coalesce(email_key, '')) > 0)", [
          key,
          key,
        ]);
      }
      if (status !== null) void matching.where({ status });
      const direction = sort.descending ? "desc" : "asc";
      const [page, count] = await Promise.all([
        matching
          .clone()
          .orderBy([
            { column: sortColumns[sort.by], order: direction },
            { column: "id", order: direction },
          ])
          .offset(offset)
          .limit(limit)
          .select<UserRow[]>(columns),
        matching.clone().count<{ count: number }[]>("* as count"),
      ]);
      return { users: page.map(readUser), total: count[0]?.count ?? 0 };
    },

    /** @throws AppError `conflict` that names the field, for another user's name or address. */
    refuseTaken: async ({ username, email }: Pick<UserFields, "username" | "email">, exceptId?: number) => {
      if (await taken("username", username, exceptId)) throw conflict("username", "Username already exists");
      if (email !== null && (await taken("email", email, exceptId))) throw conflict("email", "Email already exists");
    },
    insert: async (fields: UserFields & { passwordHash: string; createdAtMs: number }): Promise<User> => {
      const { passwordHash, createdAtMs, ...rest } = fields;
      const row = { ...rowOf(rest), password_hash: passwordHash, created_at_ms: createdAtMs };
      const [inserted] = await users().insert(row).returning<UserRow[]>(columns).catch(orConflict);
      return readUser(inserted!);
    },
    update: async (id: number, fields: UserFields): Promise<User> => {
      const [updated] = await users()
        .where({ id })
        .update(rowOf(fields))
        .returning<UserRow[]>(columns)
        .catch(orConflict);
      return readUser(updated!);
    },
    setPassword: async (id: number, passwordHash: string): Promise<void> => {
      await users().where({ id }).update({ password_hash: passwordHash });
    },
    delete: async (id: number): Promise<void> => {
      await users().where({ id }).delete();
    },
    countActiveAdmins: async (): Promise<number> => {
      const count = await users().where({ role: "admin", status: "active" }).count<{ count: number }[]>("* as count");
      return count[0]?.count ?? 0;
    },
    /** Whoever decides by what all users are (is there one, is there another admin) is alone in that until its end. */
    lockAll: async (): Promise<void> => {
      await db.raw("select pg_advisory_xact_lock(hashtextextended('sonde users', 0))");
    },
  };
}

const rowOf = ({ username, email, role, status }: UserFields) => ({
  username,
  username_key: keyOf(username),
  email,
  email_key: email === null ? null : keyOf(email),
  role,
  status,
});

const conflict = (path: "username" | "email", message: Message) =>
  new AppError("conflict", message, { details: [{ path, message }] });

/** Two who took the same name at once: the index decides. */
function orConflict(fault: unknown): never {
  const constraint = fault instanceof Error && "constraint" in fault ? fault.constraint : undefined;
  if (constraint === "users_username_unique") throw conflict("username", "Username already exists");
  if (constraint === "users_email_unique") throw conflict("email", "Email already exists");
  throw fault;
}
