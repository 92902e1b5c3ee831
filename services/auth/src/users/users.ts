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

/** One user, for that user or an admin. @throws AppError `not_found`, `forbidden` */
export async function getUser(ctx: Context, { id }: { id: number }): Promise<Account> {
  requireSelfOrAdmin(ctx, id);
  return found(await ctx.store.users.find(id));
}

/** @throws AppError `not_found` */
function found(user: Account | undefined): Account {
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
 * Changes a user, by that user or by an admin. Their sessions carry what changed, or end where they are no longer active,
 * before this resolves.
 * @throws AppError `invalid`, `forbidden`, `not_found`, `conflict` (a taken name or address; the last admin)
 */
export async function updateUser(ctx: Context, input: UpdateUserInput & { id: number }): Promise<Account> {
  const { id, username, email = null, emailVerified, role, status } = input;
  const actor = requireSelfOrAdmin(ctx, id);
  const isAdmin = actor.role === "admin";
  const ofAdmins = { role, status, emailVerified };
  if (!isAdmin && Object.values(ofAdmins).some((value) => value !== undefined)) throw forAdmins(ofAdmins);

  const user = await changeSessions(ctx, async ({ users, audit, refresh }) => {
    if (role !== undefined || status !== undefined) await users.lockAll();
    const before = found(await users.lock(id));
    // A stored name may be older than the rule: its account must stay editable.
    if (username !== before.username) parseInput(createUserInput.pick({ username: true }), { username });
    const isSameMail = email !== null && before.email !== null && usernameKey(email) === usernameKey(before.email);
    const after = {
      username,
      email,
      // Users who change their own address have not proven that it is theirs.
      emailVerified: email !== null && (emailVerified ?? (isSameMail ? before.emailVerified : isAdmin)),
      role: role ?? before.role,
      status: status ?? before.status,
    };
    await keepLastAdmin(users, before, after);
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

function forAdmins(fields: Record<string, unknown>): AppError {
  const message: Message = "Only administrators can change this";
  const given = Object.keys(fields).filter((path) => fields[path] !== undefined);
  return new AppError("forbidden", message, { details: given.map((path) => ({ path, message })) });
}

/** Deletes a user; their sessions are over before this resolves. Admins only. @throws AppError `not_found`, `conflict` */
export async function deleteUser(ctx: Context, { id }: { id: number }): Promise<void> {
  const actor = requireAdmin(ctx);
  await changeSessions(ctx, async ({ users, audit, endAll }) => {
    await users.lockAll();
    const before = found(await users.lock(id));
    await keepLastAdmin(users, before, null);
    await endAll(id);
    await users.delete(id);
    await record({ audit }, { action: "delete", target: userAuditTarget(before), before: presentUser(before) });
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
    throw new AppError("conflict", "At least one active administrator must remain");
  // Those who come by a provider alone are locked out with it.
  if (await isLastAdmin(users, before))
    throw new AppError("conflict", "At least one administrator must keep a password");
}

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
    // It was changed in between, so the verified password is no longer the current one.
    if (isSelf && (await users.passwordHash(id)) !== before) throw notCurrent();
    await users.setPassword(id, after);
    // Who gave the one of before is to begin again.
    await tickets.deleteOfUser(id);
    await end(await sessions.deleteLogins(id, isSelf ? tokenHash : undefined));
    await record({ audit }, { action: "password", target: userAuditTarget(user) });
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "password changed");
}

type GivenPassword = { id: number; known: string | undefined; given: string; path?: string };

/** A stolen session may try passwords no more often than a login. @throws AppError `impossible` at the path, `too_many` */
export async function requireCurrent(ctx: Context, { verify }: Hashing, { id, known, given, path }: GivenPassword) {
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
