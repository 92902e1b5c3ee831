import type { Database } from "@sonde/kit/postgres/database";
import type { SignInProvider, TokenAuth } from "@sonde/proto/http/sign-in";

/** The secret is sealed. Times are epoch milliseconds. */
export type StoredProvider = Omit<
  SignInProvider,
  "clientSecret" | "tokenAuth" | "isReadOnly" | "redirectUri" | "logoutUri" | "updatedAt"
> & { clientSecret: string | null; tokenAuth: TokenAuth | null; updatedAtMs: number };
/** With the decrypted secret; `updatedAtMs` is `null` for the provider from the environment. */
export type OpenProvider = Omit<StoredProvider, "clientSecret" | "updatedAtMs"> & {
  secret: string | null;
  updatedAtMs: number | null;
};

export type Flow = { hash: string; slug: string; origin: string; next: string | null; expiresAtMs: number };
/** A sign-in whose browser has returned and may exchange its code. */
export type AdmittedFlow = Pick<Flow, "slug" | "next"> & {
  identityId: number;
  sid: string | null;
  refreshToken: string | null;
};

export type Identity = { id: number; issuer: string; sub: string; userId: number };
export type ProviderSession = {
  tokenHash: string;
  slug: string;
  identityId: number;
  sid: string | null;
  refreshToken: string | null;
  checkedAtMs: number;
};

export type LogoutSubject = { issuers: readonly string[]; sub?: string | undefined; sid?: string | undefined };

export function signInStore(db: Database) {
  const sessionsOf = ({ issuers, sub, sid }: LogoutSubject) =>
    db("provider_sessions")
      .join("identities", "identities.id", "provider_sessions.identityId")
      .whereIn("identities.issuer", issuers)
      .modify((query) => {
        if (sub !== undefined) void query.where("identities.sub", sub);
        if (sid !== undefined) void query.where("provider_sessions.sid", sid);
      });

  return {
    providers: (): Promise<StoredProvider[]> => db("providers").orderBy("slug").select<StoredProvider[]>("*"),
    provider: (slug: string): Promise<StoredProvider | undefined> =>
      db("providers").where({ slug }).first<StoredProvider | undefined>("*"),
    insertProvider: async ({ roles, ...row }: StoredProvider): Promise<boolean> =>
      (
        await db("providers")
          .insert({ ...row, roles: JSON.stringify(roles) })
          .onConflict("slug")
          .ignore()
          .returning("slug")
      ).length > 0,
    updateProvider: async ({ slug, roles, ...row }: StoredProvider): Promise<void> => {
      await db("providers")
        .where({ slug })
        .update({ ...row, roles: JSON.stringify(roles) });
    },
    reseal: async (slug: string, before: string, clientSecret: string): Promise<void> => {
      await db("providers").where({ slug, clientSecret: before }).update({ clientSecret });
    },
    deleteProvider: async (slug: string): Promise<void> => {
      await db("providers").where({ slug }).delete();
      await db("flows").where({ slug }).delete();
    },

    lockProviders: async (): Promise<void> => {
      await db.raw("select pg_advisory_xact_lock(hashtextextended('sonde providers', 0))");
    },

    identity: (issuer: string, sub: string): Promise<Identity | undefined> =>
      db("identities").where({ issuer, sub }).first<Identity | undefined>("id", "issuer", "sub", "userId"),
    identityById: (id: number): Promise<Identity | undefined> =>
      db("identities").where({ id }).first<Identity | undefined>("id", "issuer", "sub", "userId"),
    insertIdentity: async (identity: Omit<Identity, "id">, createdAtMs: number): Promise<number> => {
      const [made] = await db("identities")
        .insert({ ...identity, createdAtMs })
        .returning<{ id: number }[]>("id");
      return made!.id;
    },
    /** Cascades to unfinished sign-ins. Returns `issuer sub` of each identity. */
    deleteIdentities: async (userId: number): Promise<string[]> => {
      const rows = await db("identities").where({ userId }).delete().returning<Identity[]>(["issuer", "sub"]);
      return rows.map(({ issuer, sub }) => `${issuer} ${sub}`);
    },

    insertFlow: async (flow: Flow): Promise<void> => {
      await db("flows").insert(flow);
    },
    useFlow: async (hash: string, slug: string, nowMs: number): Promise<Flow | undefined> => {
      const [flow] = await db("flows")
        .where({ hash, slug, used: false })
        .where("expiresAtMs", ">", nowMs)
        .update({ used: true })
        .returning<Flow[]>(["hash", "slug", "origin", "next", "expiresAtMs"]);
      return flow;
    },
    admitFlow: async (
      hash: string,
      admitted: Omit<AdmittedFlow, "slug" | "next"> & { codeHash: string; expiresAtMs: number },
    ): Promise<void> => {
      await db("flows").where({ hash }).update(admitted);
    },
    takeFlow: async (codeHash: string, hash: string, nowMs: number): Promise<AdmittedFlow | undefined> => {
      const [flow] = await db("flows")
        .where({ codeHash, hash })
        .where("expiresAtMs", ">", nowMs)
        .delete()
        .returning<AdmittedFlow[]>(["slug", "next", "identityId", "sid", "refreshToken"]);
      return flow;
    },

    insertSession: async (session: ProviderSession): Promise<void> => {
      await db("provider_sessions").insert(session);
    },
    /** Claims the sessions that were checked longest ago. Each is claimed by only one replica. */
    claimDue: async (beforeMs: number, nowMs: number, max: number): Promise<ProviderSession[]> => {
      const due = db("provider_sessions")
        .whereNotNull("refreshToken")
        .where("checkedAtMs", "<", beforeMs)
        .orderBy("checkedAtMs")
        .limit(max)
        .forUpdate()
        .skipLocked()
        .select("tokenHash");
      return db("provider_sessions")
        .whereIn("tokenHash", due)
        .update({ checkedAtMs: nowMs })
        .returning<ProviderSession[]>(["tokenHash", "slug", "identityId", "sid", "refreshToken", "checkedAtMs"]);
    },
    keepToken: async (tokenHash: string, refreshToken: string | null): Promise<void> => {
      await db("provider_sessions").where({ tokenHash }).update({ refreshToken });
    },
    checkAgain: async (tokenHash: string, checkedAtMs: number): Promise<void> => {
      await db("provider_sessions").where({ tokenHash }).update({ checkedAtMs });
    },

    usersOf: (subject: LogoutSubject): Promise<number[]> =>
      sessionsOf(subject).distinct().orderBy("identities.userId").pluck<number[]>("identities.user_id"),
    tokensOf: (subject: LogoutSubject, userId: number): Promise<string[]> =>
      sessionsOf(subject).where("identities.userId", userId).pluck<string[]>("provider_sessions.token_hash"),
    usersOfProvider: (slug: string): Promise<number[]> =>
      db("provider_sessions")
        .join("identities", "identities.id", "provider_sessions.identityId")
        .where("provider_sessions.slug", slug)
        .distinct()
        .orderBy("identities.userId")
        .pluck<number[]>("identities.user_id"),
    tokensOfProvider: (slug: string, userId: number): Promise<string[]> =>
      db("provider_sessions")
        .join("identities", "identities.id", "provider_sessions.identityId")
        .where({ "provider_sessions.slug": slug, "identities.userId": userId })
        .pluck<string[]>("provider_sessions.token_hash"),
    forgetFlowsOf: async ({ issuers, sub, sid }: LogoutSubject): Promise<void> => {
      const identities = db("identities")
        .whereIn("issuer", issuers)
        .where(sub === undefined ? {} : { sub });
      await db("flows")
        .whereIn("identityId", identities.select("id"))
        .modify((query) => sid !== undefined && void query.where({ sid }))
        .delete();
    },
    /** Returns false if the token was used before. */
    takeLogoutToken: async (issuer: string, jti: string, expiresAtMs: number): Promise<boolean> =>
      (await db("logout_tokens").insert({ issuer, jti, expiresAtMs }).onConflict().ignore().returning("jti")).length >
      0,
    forgetOld: async (nowMs: number): Promise<void> => {
      await db("flows").where("expiresAtMs", "<=", nowMs).delete();
      await db("logout_tokens").where("expiresAtMs", "<=", nowMs).delete();
    },
  };
}
