import { AppError, invalid } from "@sonde/kit/errors";
import type { ChangePasswordInput } from "@sonde/proto/http/users";
import { refuseTooMany } from "../attempts/limits.ts";
import { type Context, requireSelfOrAdmin } from "../context.ts";
import type { Hashing } from "../passwords/passwords.ts";
import { changeSessions } from "../sessions/change.ts";
import { found } from "./users.ts";

/**
 * Changes a password: one's own with the current one, another's as an admin. Every other session of that user is
 * over before this resolves.
 * @throws AppError `invalid`, `impossible` (the current password is not correct), `forbidden`, `not_found`, `too_many`
 */
export async function changePassword(
  ctx: Context,
  { id, tokenHash, currentPassword, newPassword }: ChangePasswordInput & { id: number; tokenHash?: string | undefined },
): Promise<void> {
  const actor = requireSelfOrAdmin(ctx, id);
  const isSelf = actor.id === id;
  if (isSelf && !currentPassword) throw invalid([{ path: "currentPassword", message: "Current password is required" }]);
  found(await ctx.store.users.find(id));

  const { before, after } = await ctx.passwords.inTurn(
    `user ${actor.id}`,
    async (hashing) => {
      const known = await ctx.store.users.passwordHash(id);
      if (isSelf) await requireCurrent(ctx, hashing, id, known, currentPassword ?? "");
      return { before: known, after: await hashing.hash(newPassword) };
    },
    ctx.signal,
  );
  await changeSessions(ctx, async ({ users, sessions, end }) => {
    found(await users.lock(id));
    // It was changed in between, so the verified password is no longer the current one.
    if (isSelf && (await users.passwordHash(id)) !== before) throw notCurrent();
    await users.setPassword(id, after);
    await end(await sessions.deleteOfUser(id, isSelf ? tokenHash : undefined));
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "password changed");
}

/** A stolen session may try passwords no more often than a login. */
async function requireCurrent(ctx: Context, { verify }: Hashing, id: number, known: string | undefined, given: string) {
  const { attempts } = ctx.store;
  const subject = `user ${id}`;
  const nowMs = ctx.clock.now();
  refuseTooMany("password", await attempts.recent("password", subject, nowMs), subject, nowMs);
  if (await verify(known ?? null, given)) return attempts.clear("password", subject, subject);
  await attempts.add("password", subject, subject, nowMs);
  throw notCurrent();
}

function notCurrent(): AppError {
  const message = "The current password is not correct";
  return new AppError("impossible", message, { details: [{ path: "currentPassword", message }] });
}
