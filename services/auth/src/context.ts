import type { Clock } from "@sonde/kit/time/clock";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Log } from "@sonde/kit/service/log";
import type { Actor } from "@sonde/kit/bus/rpc";
import type { RegistrationMode } from "@sonde/proto/http/auth";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { z } from "zod";
import type { Passwords } from "./passwords/passwords.ts";
import type { SessionBucket } from "./sessions/bucket.ts";
import type { AuthStore } from "./store.ts";

/** Who may come in. */
export type RegistrationPolicy = { registration: RegistrationMode; setupCode: string | undefined };

/** What every verb depends on. */
export type Deps = {
  store: AuthStore;
  bucket: SessionBucket;
  passwords: Passwords;
  policy: RegistrationPolicy;
  /** The bucket may have come apart from PostgreSQL: it is compared at once. */
  doubt: () => void;
  clock: Clock;
  log: Log;
};

/** What a verb takes beside its input: the parts, who asks, and whether they still wait. */
export type Context = Deps & { actor?: Actor; signal?: AbortSignal };

/** @throws AppError `unauthenticated` */
export function requireActor({ actor }: Context): Actor {
  if (actor === undefined) throw new AppError("unauthenticated", "Please log in");
  return actor;
}

/** @throws AppError `forbidden` unless an admin asks */
export function requireAdmin(ctx: Context): Actor {
  const actor = requireActor(ctx);
  if (actor.role !== "admin") throw new AppError("forbidden", "You are not allowed to do this");
  return actor;
}

/** @throws AppError `forbidden` unless an admin asks, or the user about their own account */
export function requireSelfOrAdmin(ctx: Context, userId: number): Actor {
  const actor = requireActor(ctx);
  return actor.id === userId ? actor : requireAdmin(ctx);
}

/** The input by the schema that the public API has too. @throws AppError `invalid` with every fault */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  return parsed.data;
}
