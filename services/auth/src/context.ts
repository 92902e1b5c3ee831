import { type AuditFact, createAuditEntry, type Labelled } from "@sonde/domain/audit";
import type { Clock } from "@sonde/kit/time/clock";
import { AppError } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import type { Actor, Client } from "@sonde/kit/bus/rpc";
import type { RegistrationMode } from "@sonde/proto/http/auth";
import type { PasswordPolicy } from "@sonde/proto/http/sign-in";
import type { notificationsContract } from "@sonde/proto/rpc/notifications";
import type { SecretBox } from "@sonde/kit/secrets";
import type { Database } from "@sonde/kit/postgres/database";
import type { Connections } from "./oidc/connection.ts";
import { type OpenProvider, signInStore } from "./oidc/store.ts";
import type { Passwords } from "@sonde/kit/passwords";
import type { SessionBucket } from "./sessions/bucket.ts";
import { auditStore } from "./audit/store.ts";
import { attemptStore } from "./attempts/limits.ts";
import type { FactorPolicy } from "@sonde/proto/http/factors";
import { factorStore, ticketStore } from "./factors/store.ts";
import { inviteStore } from "./invites/store.ts";
import { keyStore } from "./keys/store.ts";
import { sessionStore } from "./sessions/store.ts";
import { userStore } from "./users/store.ts";
import { viewStore } from "./views/store.ts";

export type RegistrationPolicy = { registration: RegistrationMode; setupCode: string | undefined };

export type SignInSetup = {
  passwords: PasswordPolicy;
  /** Base URL without trailing slash; `null` to use the origin of each request. */
  publicUrl: string | null;
  environment: OpenProvider | null;
  connections: Connections;
};

export type Deps = {
  store: AuthStore;
  bucket: SessionBucket;
  passwords: Passwords;
  policy: RegistrationPolicy;
  /** `null` if the installation has no key for sign-in secrets. */
  secrets: SecretBox | null;
  factorPolicy: FactorPolicy;
  signIn: SignInSetup;
  notifications: Pick<Client<typeof notificationsContract>, "listChannels" | "sendMail">;
  /** Requests a comparison of the bucket with PostgreSQL. */
  doubt: () => void;
  clock: Clock;
  log: Log;
};

export type Context = Deps & { actor?: Actor; signal?: AbortSignal };

/** @throws AppError `unauthenticated` */
export function requireActor({ actor }: Context): Actor {
  if (actor === undefined) throw new AppError("unauthenticated", "Please log in");
  return actor;
}

/** @throws AppError `forbidden` unless the caller is an admin */
export function requireAdmin(ctx: Context): Actor {
  const actor = requireActor(ctx);
  if (actor.role !== "admin") throw new AppError("forbidden", "You are not allowed to do this");
  return actor;
}

/** @throws AppError `forbidden` unless the caller is that user or an admin */
export function requireSelfOrAdmin(ctx: Context, userId: number): Actor {
  const actor = requireActor(ctx);
  return actor.id === userId ? actor : requireAdmin(ctx);
}

export type AuthStore = ReturnType<typeof storeOn> & {
  transaction<Result>(run: (store: ReturnType<typeof storeOn>) => Promise<Result>): Promise<Result>;
};
export type StoreInTransaction = ReturnType<typeof storeOn>;

export function createStore(db: Database): AuthStore {
  return { ...storeOn(db), transaction: (run) => db.transaction((trx) => run(storeOn(trx))) };
}

const storeOn = (db: Database) => ({
  users: userStore(db),
  views: viewStore(db),
  sessions: sessionStore(db),
  keys: keyStore(db),
  invites: inviteStore(db),
  factors: factorStore(db),
  tickets: ticketStore(db),
  signIn: signInStore(db),
  attempts: attemptStore(db),
  audit: auditStore(db),
});

export async function record<Fact extends AuditFact>(
  { audit }: Pick<StoreInTransaction, "audit">,
  fact: Labelled<Fact>,
): Promise<void> {
  const entry = createAuditEntry(fact);
  if (entry !== null) await audit.insert([entry]);
}
