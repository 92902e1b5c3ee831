import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Factor, FactorType } from "@sonde/proto/http/factors";

/** Times are epoch milliseconds. */
export type StoredFactor = {
  id: number;
  userId: number;
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
} & (
  | { type: "totp"; sealedSecret: string; lastStep: number }
  | { type: "passkey"; credentialId: string; publicKey: Uint8Array; counter: number; transports: string[] }
);
export type StoredPasskey = Extract<StoredFactor, { type: "passkey" }>;
type NewFactor = {
  [Type in FactorType]: Omit<Extract<StoredFactor, { type: Type }>, "id" | "lastUsedAtMs">;
}[FactorType];

/**
 * `passkey`: sign-in with only a passkey. `login`: the password was correct. `enroll`: correct, but a required factor is
 * missing. `add`: a logged-in user is adding a factor.
 */
export type Ticket = {
  tokenHash: string;
  purpose: "passkey" | "login" | "enroll" | "add";
  userId: number | null;
  challenge: string | null;
  sealedSecret: string | null;
  tries: number;
  expiresAtMs: number;
};

/** @param db for changes: a transaction that holds the user's row lock */
export function factorStore(db: Database) {
  const ofUser = (userId: number) => db("factors").where({ userId });
  return {
    ofUser: (userId: number): Promise<StoredFactor[]> => ofUser(userId).orderBy("id").select<StoredFactor[]>("*"),
    anyPasskey: async (): Promise<boolean> => (await db("factors").where("type", "passkey").first("id")) !== undefined,
    byCredential: (credentialId: string): Promise<StoredPasskey | undefined> =>
      db("factors").where({ credentialId }).first<StoredPasskey | undefined>("*"),
    /** @throws AppError `conflict` */
    insert: async (factor: NewFactor): Promise<StoredFactor> => {
      const [row] = await db("factors").insert(factor).returning<StoredFactor[]>("*").catch(orConflict);
      return row!;
    },
    use: async (id: number, fields: { lastUsedAtMs?: number; lastStep?: number; counter?: number }): Promise<void> => {
      await db("factors").where({ id }).update(fields);
    },
    sealed: (): Promise<{ id: number; sealedSecret: string }[]> =>
      db("factors").where("type", "totp").select<{ id: number; sealedSecret: string }[]>("id", "sealedSecret"),
    reseal: async (id: number, from: string, to: string): Promise<void> => {
      await db("factors").where({ id, sealedSecret: from }).update({ sealedSecret: to });
    },
    delete: async (userId: number, id: number): Promise<void> => {
      await ofUser(userId).where({ id }).delete();
    },
    deleteOfUser: async (userId: number): Promise<void> => {
      await ofUser(userId).delete();
      await db("recoveryCodes").where({ userId }).delete();
    },

    countRecoveryCodes: async (userId: number): Promise<number> => {
      const count = await db("recoveryCodes").where({ userId }).count<{ count: number }[]>("* as count");
      return count[0]?.count ?? 0;
    },
    replaceRecoveryCodes: async (userId: number, hashes: readonly string[]): Promise<void> => {
      await db("recoveryCodes").where({ userId }).delete();
      if (hashes.length > 0) await db("recoveryCodes").insert(hashes.map((codeHash) => ({ userId, codeHash })));
    },
    /** Returns whether the code existed. */
    useRecoveryCode: async (userId: number, codeHash: string): Promise<boolean> =>
      (await db("recoveryCodes").where({ userId, codeHash }).delete()) > 0,
  };
}

export function ticketStore(db: Database) {
  return {
    insert: async (ticket: Omit<Ticket, "tries">): Promise<void> => {
      await db("tickets").insert(ticket);
    },
    find: (tokenHash: string, nowMs: number): Promise<Ticket | undefined> =>
      db("tickets").where({ tokenHash }).where("expiresAtMs", ">", nowMs).first<Ticket | undefined>("*"),
    update: async (
      tokenHash: string,
      fields: Partial<Pick<Ticket, "challenge" | "sealedSecret" | "tries">>,
    ): Promise<void> => {
      await db("tickets").where({ tokenHash }).update(fields);
    },
    /** Returns whether the ticket existed: only one of several concurrent callers gets `true`. */
    take: async (tokenHash: string): Promise<boolean> => (await db("tickets").where({ tokenHash }).delete()) > 0,
    deleteOfUser: async (userId: number, purpose?: Ticket["purpose"]): Promise<void> => {
      await db("tickets")
        .where({ userId, ...(purpose && { purpose }) })
        .delete();
    },
    forgetOld: async (nowMs: number): Promise<void> => {
      await db("tickets").where("expiresAtMs", "<=", nowMs).delete();
    },
  };
}

function orConflict(error: unknown): never {
  const constraint = error instanceof Error && "constraint" in error ? error.constraint : undefined;
  if (constraint === "factors_one_totp") throw new AppError("conflict", "An authenticator app is already set up");
  if (constraint === "factors_credential_unique") throw new AppError("conflict", "This passkey is already registered");
  throw error;
}

export function presentFactor({ id, type, name, createdAtMs, lastUsedAtMs }: StoredFactor): Factor {
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    id,
    type,
    name,
    createdAt: instant(createdAtMs),
    ...(lastUsedAtMs !== null && { lastUsedAt: instant(lastUsedAtMs) }),
  };
}
