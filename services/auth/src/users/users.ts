import { parseInput } from "@sonde/kit/bus/rpc";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Message } from "@sonde/proto/http/messages";
import {
  type CreateUserInput,
  createUserInput,
  type UpdateUserInput,
  type UsersQuery,
  type ChangePasswordInput,
} from "@sonde/proto/http/users";
import { type Context, record, requireAdmin, requireSelfOrAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { type Account, isLastAdmin, usernameKey, presentUser, userAuditTarget, type UserStore } from "./store.ts";
import type { Hashing } from "@sonde/kit/passwords";

/** @throws AppError `not_found`, `forbidden` */
export async function getUser(ctx: Context, { id }: { id: number }): Promise<Account> {
  requireSelfOrAdmin(ctx, id);
  return found(await ctx.store.users.find(id));
}

/** @throws AppError `not_found` */
function found(user: Account | undefined): Account {
  if (user === undefined) throw new AppError("not_found", "User does not exist");
  return user;
}

export async function listUsers(ctx: Context, query: UsersQuery): Promise<{ users: Account[]; total: number }> {
  requireAdmin(ctx);
  return ctx.store.users.list(query);
}

/** For other services, which show users to those who may see them. */
export async function people(
  { store }: Context,
  { ids, names, search }: { ids?: number[] | undefined; names?: string[] | undefined; search?: string | undefined },
): Promise<Account[]> {
  if (ids !== undefined || names !== undefined) return store.users.people({ ids: ids ?? [], names: names ?? [] });
  return (await store.users.list({ page: 1, pageSize: 100, search, status: "active" })).users;
}

/** @throws AppError `conflict`, `forbidden` */
export async function createUser(ctx: Context, input: CreateUserInput): Promise<Account> {
  const actor = requireAdmin(ctx);
  const { password, email = null, ...fields } = input;
  await ctx.store.users.refuseTaken({ ...fields, email });
  const passwordHash = await ctx.passwords.inTurn(`user ${actor.id}`, ({ hash }) => hash(password), ctx.signal);
  const createdAtMs = ctx.clock.now();
  const user = await ctx.store.transaction(async (tx) => {
    const made = await tx.users.insert({
      ...fields,
      email,
      emailVerified: email !== null,
      status: "active",
      passwordHash,
      createdAtMs,
    });
    await record(tx, { action: "create", target: userAuditTarget(made), after: presentUser(made) });
    return made;
  });
  ctx.log.info({ userId: user.id, role: user.role, actorId: actor.id }, "user created");
  return user;
}

/**
 * Before this resolves, the user's sessions are updated, or ended if the user is no longer active.
 * @throws AppError `invalid`, `forbidden`, `not_found`, `conflict` (name or address taken; last admin)
 */
export async function updateUser(ctx: Context, input: UpdateUserInput & { id: number }): Promise<Account> {
  const { id, username, email = null, emailVerified, role, status } = input;
  const actor = requireSelfOrAdmin(ctx, id);
  const isAdmin = actor.role === "admin";
  const adminFields = { role, status, emailVerified };
  if (!isAdmin && Object.values(adminFields).some((value) => value !== undefined)) throw adminsOnly(adminFields);

  const user = await changeSessions(ctx, async ({ users, audit, refresh }) => {
    if (role !== undefined || status !== undefined) await users.lockAll();
    const before = found(await users.lock(id));
    // Stored names may predate the current rule; such accounts must stay editable.
    if (username !== before.username) parseInput(createUserInput.pick({ username: true }), { username });
    const isSameMail = email !== null && before.email !== null && usernameKey(email) === usernameKey(before.email);
    const after = {
      username,
      email,
      // Changing one's own address does not verify it.
      emailVerified: email !== null && (emailVerified ?? (isSameMail ? before.emailVerified : isAdmin)),
      role: role ?? before.role,
      status: status ?? before.status,
    };
    await requireRemainingAdmin(users, before, after);
    await users.refuseTaken(after, id);
    const changed = await users.update(id, after);
    await refresh(changed);
    await record(
      { audit },
      {
        action: "update",
        target: userAuditTarget(changed),
        before: presentUser(before),
        after: presentUser(changed),
      },
    );
    return changed;
  });
  ctx.log.info({ userId: id, role: user.role, status: user.status, actorId: actor.id }, "user updated");
  return user;
}

function adminsOnly(fields: Record<string, unknown>): AppError {
  const message: Message = "Only administrators can change this";
  const given = Object.keys(fields).filter((path) => fields[path] !== undefined);
  return new AppError("forbidden", message, { details: given.map((path) => ({ path, message })) });
}

/** The user's sessions have ended before this resolves. Admins only. @throws AppError `not_found`, `conflict` */
export async function deleteUser(ctx: Context, { id }: { id: number }): Promise<void> {
  const actor = requireAdmin(ctx);
  await changeSessions(ctx, async ({ users, audit, endAll }) => {
    await users.lockAll();
    const before = found(await users.lock(id));
    await requireRemainingAdmin(users, before, null);
    await endAll(id);
    await users.delete(id);
    await record({ audit }, { action: "delete", target: userAuditTarget(before), before: presentUser(before) });
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "user deleted");
}

const isActiveAdmin = ({ role, status }: Pick<Account, "role" | "status">) => role === "admin" && status === "active";

/** The caller holds `users.lockAll`. @param after `null` on deletion @throws AppError `conflict` */
async function requireRemainingAdmin(
  users: UserStore,
  before: Account,
  after: Pick<Account, "role" | "status"> | null,
): Promise<void> {
  if (!isActiveAdmin(before) || (after !== null && isActiveAdmin(after))) return;
  if ((await users.countActiveAdmins()) <= 1)
    throw new AppError("conflict", "At least one active administrator must remain");
  // Administrators without a password cannot log in if their provider fails.
  if (await isLastAdmin(users, before))
    throw new AppError("conflict", "At least one administrator must keep a password");
}

/**
 * Users need their current password, admins not. The user's other sessions have ended before this resolves.
 * @throws AppError `invalid`, `impossible` (wrong current password), `forbidden`, `not_found`, `too_many`
 */
export async function changePassword(
  ctx: Context,
  { id, tokenHash, currentPassword, newPassword }: ChangePasswordInput & { id: number; tokenHash?: string | undefined },
): Promise<void> {
  const actor = requireSelfOrAdmin(ctx, id);
  const isSelf = actor.id === id;
  if (isSelf && !currentPassword) throw invalid([{ path: "currentPassword", message: "Current password is required" }]);
  found(await ctx.store.users.find(id));
  if (ctx.signIn.passwords === "off" && (await ctx.store.users.passwordHash(id)) === undefined)
    throw new AppError("impossible", "Password sign-in is disabled");

  const { before, after } = await ctx.passwords.inTurn(
    `user ${actor.id}`,
    async (hashing) => {
      const known = await ctx.store.users.passwordHash(id);
      if (isSelf) await requireCurrent(ctx, hashing, { id, known, given: currentPassword ?? "" });
      return { before: known, after: await hashing.hash(newPassword) };
    },
    ctx.signal,
  );
  await changeSessions(ctx, async ({ users, sessions, tickets, audit, end }) => {
    const user = found(await users.lock(id));
    // The password changed after the check above.
    if (isSelf && (await users.passwordHash(id)) !== before) throw notCurrent();
    await users.setPassword(id, after);
    // Sign-ins that used the old password must start again.
    await tickets.deleteOfUser(id);
    await end(await sessions.deleteLogins(id, isSelf ? tokenHash : undefined));
    await record({ audit }, { action: "password", target: userAuditTarget(user) });
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "password changed");
}

type PasswordCheck = { id: number; known: string | undefined; given: string; path?: string };

/** Also limits attempts from stolen sessions. @throws AppError `impossible` at the path, `too_many` */
export async function requireCurrent(ctx: Context, { verify }: Hashing, { id, known, given, path }: PasswordCheck) {
  const { attempts } = ctx.store;
  const subject = `user ${id}`;
  const nowMs = ctx.clock.now();
  await attempts.refuseTooMany("password", subject, subject, nowMs);
  if (await verify(known ?? null, given)) return attempts.clear("password", subject, subject);
  await attempts.add("password", subject, subject, nowMs);
  throw notCurrent(path);
}

function notCurrent(path = "currentPassword"): AppError {
  const message = "The current password is not correct";
  return new AppError("impossible", message, { details: [{ path, message }] });
}
