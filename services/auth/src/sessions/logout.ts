import type { Context } from "../context.ts";
import { changeSessions } from "./change.ts";

/** Ends a session, idempotently. Its token suffices. */
export async function logout(ctx: Context, { tokenHash }: { tokenHash: string }): Promise<void> {
  const userId = await ctx.store.sessions.ownerOf(tokenHash);
  if (userId === undefined) return;
  await changeSessions(ctx, async ({ users, sessions, end }) => {
    await users.lock(userId);
    if (await sessions.delete(tokenHash)) await end([tokenHash]);
  });
}
