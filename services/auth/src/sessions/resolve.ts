import { AppError } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import type { StoredSession } from "./store.ts";

/** Whose a token is, straight from PostgreSQL. @throws AppError `not_found`: no such session (any more) */
export async function resolveSession(ctx: Context, { tokenHash }: { tokenHash: string }): Promise<StoredSession> {
  const session = await ctx.store.sessions.resolve(tokenHash, ctx.clock.now());
  if (session === undefined) throw new AppError("not_found", "Please log in");
  return session;
}
