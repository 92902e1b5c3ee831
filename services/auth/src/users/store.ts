import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Message } from "@sonde/proto/http/messages";
import type { userSorts, UsersQuery, Role, User, UserStatus } from "@sonde/proto/http/users";

type UserFields = Pick<Account, "username" | "email" | "emailVerified" | "role" | "status">;
export type UserStore = ReturnType<typeof userStore>;

const sortColumns: Record<(typeof userSorts)[number], string> = {
  username: "usernameKey",
  createdAt: "createdAtMs",
  role: "role",
  status: "status",
};

/** @param db for `lock` and `lockAll`: a transaction */
export function userStore(db: Database) {
  const users = () => db("users");
  const emailVerified = db.raw("coalesce(verified_email_key = email_key, false) as email_verified");
  const columns = ["id", "username", "email", emailVerified, "role", "status", "createdAtMs"] as const;
  const persons = () => users().where("kind", "person");
  const firstOf = async (matching: ReturnType<typeof users>): Promise<Account | undefined> =>
    matching.first<Account | undefined>(columns);
  const taken = async (field: "username" | "email", value: string, exceptId = 0) =>
    (await users().where(`${field}Key`, usernameKey(value)).whereNot("id", exceptId).first("id")) !== undefined;

  return {
    any: async (): Promise<boolean> => (await persons().first("id")) !== undefined,
    find: (id: number): Promise<Account | undefined> => firstOf(users().where({ id })),
    /** Required in every transaction that changes the user or their sessions. */
    lock: (id: number): Promise<Account | undefined> => firstOf(users().where({ id }).forUpdate()),
    byName: (username: string): Promise<Account | undefined> =>
      firstOf(persons().where("usernameKey", usernameKey(username))),
    firstAdmin: (): Promise<Account | undefined> =>
      firstOf(persons().where({ role: "admin", status: "active" }).orderBy("id")),
    byMail: (email: string): Promise<Account | undefined> => firstOf(persons().where("emailKey", usernameKey(email))),
    /** Includes service accounts. */
    byAnyName: (username: string): Promise<Account | undefined> =>
      firstOf(users().where("usernameKey", usernameKey(username))),
    passwordHash: async (id: number): Promise<string | undefined> =>
      (await users().where({ id }).first<{ passwordHash: string | null } | undefined>("passwordHash"))?.passwordHash ??
      undefined,

    /** Finds by any of them. */
    people: ({ ids, names }: { ids: readonly number[]; names: readonly string[] }): Promise<Account[]> => {
      const keys = names.map((name) => usernameKey(name));
      return persons()
        .whereRaw("(id = any(?::int[]) or username_key = any(?::text[]) or email_key = any(?::text[]))", [
          [...ids],
          keys,
          keys,
        ])
        .orderBy("id")
        .select<Account[]>(columns);
    },

    list: async ({
      page,
      pageSize,
      search = "",
      status,
      sort = "username",
    }: UsersQuery): Promise<{ users: Account[]; total: number }> => {
      const matching = persons();
      if (search !== "") {
        const key = usernameKey(search);
        void matching.whereRaw("(position(? in username_key) > 0 or position(? in coalesce(email_key, '')) > 0)", [
          key,
          key,
        ]);
      }
      if (status !== undefined) void matching.where({ status });
      const order = sort.startsWith("-") ? "desc" : "asc";
      const column = sortColumns[sort.replace("-", "") as keyof typeof sortColumns];
      const [found, count] = await Promise.all([
        matching
          .clone()
          .orderBy([
            { column, order },
            { column: "id", order },
          ])
          .offset((page - 1) * pageSize)
          .limit(pageSize)
          .select<Account[]>(columns),
        matching.clone().count<{ count: number }[]>("* as count"),
      ]);
      return { users: found, total: count[0]?.count ?? 0 };
    },

    /** @throws AppError `conflict` with the field, if another user has the name or address */
    refuseTaken: async ({ username, email }: Pick<UserFields, "username" | "email">, exceptId?: number) => {
      if (await taken("username", username, exceptId)) throw conflict("username", "Username already exists");
      if (email !== null && (await taken("email", email, exceptId))) throw conflict("email", "Email already exists");
    },
    listServices: (): Promise<(Account & { keys: number })[]> =>
      users()
        .where("kind", "service")
        .orderBy("usernameKey")
        .select<(Account & { keys: number })[]>(
          ...columns,
          db.raw("(select count(*)::int from api_keys where api_keys.user_id = users.id) as keys"),
        ),
    isService: async (id: number): Promise<boolean> =>
      (await users().where({ id, kind: "service" }).first("id")) !== undefined,
    insert: async (
      fields: UserFields & { passwordHash: string | null; createdAtMs: number; kind?: "service" },
    ): Promise<Account> => {
      const [inserted] = await users().insert(rowOf(fields)).returning<Account[]>(columns).catch(orConflict);
      return inserted!;
    },
    update: async (id: number, fields: UserFields): Promise<Account> => {
      const [updated] = await users()
        .where({ id })
        .update(rowOf(fields))
        .returning<Account[]>(columns)
        .catch(orConflict);
      return updated!;
    },
    setPassword: async (id: number, passwordHash: string | null): Promise<void> => {
      await users().where({ id }).update({ passwordHash });
    },
    delete: async (id: number): Promise<void> => {
      await users().where({ id }).delete();
    },
    countActiveAdmins: async (): Promise<number> => {
      const count = await persons().where({ role: "admin", status: "active" }).count<{ count: number }[]>("* as count");
      return count[0]?.count ?? 0;
    },
    adminsWithPassword: (): Promise<number[]> =>
      persons()
        .where({ role: "admin", status: "active" })
        .whereNotNull("passwordHash")
        .orderBy("id")
        .pluck<number[]>("id"),
    /** Serialises decisions that depend on all users, such as whether another admin exists. */
    lockAll: async (): Promise<void> => {
      await db.raw("select pg_advisory_xact_lock(hashtextextended('sonde users', 0))");
    },
  };
}

/** The caller holds `lockAll`. */
export async function isLastAdmin(users: UserStore, { id }: Pick<Account, "id">): Promise<boolean> {
  const [first, ...more] = await users.adminsWithPassword();
  return first === id && more.length === 0;
}

function rowOf<Fields extends UserFields>({ emailVerified, ...fields }: Fields) {
  const emailKey = fields.email === null ? null : usernameKey(fields.email);
  return {
    ...fields,
    usernameKey: usernameKey(fields.username),
    emailKey,
    verifiedEmailKey: emailVerified ? emailKey : null,
  };
}

const conflict = (path: "username" | "email", message: Message) =>
  new AppError("conflict", message, { details: [{ path, message }] });

/** Concurrent changes can pass `refuseTaken`. */
function orConflict(error: unknown): never {
  const constraint = error instanceof Error && "constraint" in error ? error.constraint : undefined;
  if (constraint === "users_username_unique") throw conflict("username", "Username already exists");
  if (constraint === "users_email_unique") throw conflict("email", "Email already exists");
  throw error;
}

export type Account = {
  id: number;
  username: string;
  email: string | null;
  /** True if an administrator set the address, or a trusted provider verified it. */
  emailVerified: boolean;
  role: Role;
  status: UserStatus;
  createdAtMs: number;
};

/** NFKC and lower case. Replaces U+0000, which PostgreSQL cannot store. */
export const usernameKey = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("\0", "\uFFFD");

export function presentUser({ email, emailVerified, createdAtMs, ...account }: Account): User {
  return {
    ...account,
    ...(email === null ? {} : { email, emailVerified }),
    createdAt: new Date(createdAtMs).toISOString(),
  };
}

export const userAuditTarget = ({ id, username }: Pick<Account, "id" | "username">) =>
  ({ type: "user", id, name: username }) as const;
