import { type Context, requireAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { found } from "./get.ts";
import { keepLastAdmin } from "./last-admin.ts";

/** Deletes a user; their sessions are over before this resolves. Admins only. @throws AppError `not_found`, `conflict` */
export async function deleteUser(ctx: Context, { id }: { id: number }): Promise<void> {
  const actor = requireAdmin(ctx);
  await changeSessions(ctx, async ({ users, sessions, end }) => {
    await users.lockAll();
    await keepLastAdmin(users, found(await users.lock(id)), null);
    await end(await sessions.deleteOfUser(id));
    await users.delete(id);
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "user deleted");
}
