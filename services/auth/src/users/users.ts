import { AppError } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import { type CreateUserInput, createUserInput, type UpdateUserInput, type UsersQuery } from "@sonde/proto/http/users";
import { check, type Context, requireAdmin, requireSelfOrAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import type { UserStore } from "./store.ts";
import type { Account } from "./user.ts";

/** One user, for that user or an admin. @throws AppError `not_found`, `forbidden` */
export async function getUser(ctx: Context, { id }: { id: number }): Promise<Account> {
  requireSelfOrAdmin(ctx, id);
  return found(await ctx.store.users.find(id));
}

/** @throws AppError `not_found` */
export function found(user: Account | undefined): Account {
  if (user === undefined) throw new AppError("not_found", "User does not exist");
  return user;
}

/** One page of the users of a status whose name or address holds the search, by name unless sorted. Admins only. */
export async function listUsers(ctx: Context, query: UsersQuery): Promise<{ users: Account[]; total: number }> {
  requireAdmin(ctx);
  return ctx.store.users.list(query);
}

/** Makes an active account. Admins only. @throws AppError `conflict`, `forbidden` */
export async function createUser(ctx: Context, input: CreateUserInput): Promise<Account> {
  const actor = requireAdmin(ctx);
  const { password, email = null, ...fields } = input;
  await ctx.store.users.refuseTaken({ ...fields, email });
  const passwordHash = await ctx.passwords.inTurn(`user ${actor.id}`, ({ hash }) => hash(password), ctx.signal);
  const createdAtMs = ctx.clock.now();
  const user = await ctx.store.users.insert({ ...fields, email, status: "active", passwordHash, createdAtMs });
  ctx.log.info({ userId: user.id, role: user.role, actorId: actor.id }, "user created");
  return user;
}

/**
 * Changes a user, by that user or by an admin. Their sessions carry what changed, or end where they are no longer active,
 * before this resolves.
 * @throws AppError `invalid`, `forbidden`, `not_found`, `conflict` (a taken name or address; the last admin)
 */
export async function updateUser(ctx: Context, input: UpdateUserInput & { id: number }): Promise<Account> {
  const { id, username, email = null, role, status } = input;
  const actor = requireSelfOrAdmin(ctx, id);
  if (actor.role !== "admin" && (role !== undefined || status !== undefined)) throw forAdmins({ role, status });

  const user = await changeSessions(ctx, async ({ users, refresh }) => {
    if (role !== undefined || status !== undefined) await users.lockAll();
    const before = found(await users.lock(id));
    // A stored name may be older than the rule: its account must stay editable.
    if (username !== before.username) check(createUserInput.pick({ username: true }), { username });
    const after = { username, email, role: role ?? before.role, status: status ?? before.status };
    await keepLastAdmin(users, before, after);
    await users.refuseTaken(after, id);
    const changed = await users.update(id, after);
    await refresh(changed);
    return changed;
  });
  ctx.log.info({ userId: id, role: user.role, status: user.status, actorId: actor.id }, "user updated");
  return user;
}

function forAdmins(fields: Record<string, unknown>): AppError {
  const message: Message = "Only an administrator may change this";
  const given = Object.keys(fields).filter((path) => fields[path] !== undefined);
  return new AppError("forbidden", message, { details: given.map((path) => ({ path, message })) });
}

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

const isActiveAdmin = ({ role, status }: Pick<Account, "role" | "status">) => role === "admin" && status === "active";

/**
 * Refuses a change that would leave no administrator. The caller holds `users.lockAll`: of two admins who demote each other at
 * the same time, one stays.
 * @param after the user as changed; null when deleted
 * @throws AppError `conflict`
 */
async function keepLastAdmin(
  users: UserStore,
  before: Account,
  after: Pick<Account, "role" | "status"> | null,
): Promise<void> {
  if (!isActiveAdmin(before) || (after !== null && isActiveAdmin(after))) return;
  if ((await users.countActiveAdmins()) <= 1)
    throw new AppError("conflict", "The last active administrator must remain");
}
