import { AppError } from "@sonde/kit/errors";
import type { AddFactorInput, BegunFactor, Factor, FactorType } from "@sonde/proto/http/factors";
import { type Context, record, requireActor, requireAdmin, type StoreInTransaction } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { hashToken } from "../sessions/sessions.ts";
import type { Account } from "../users/store.ts";
import { requireCurrent } from "../users/users.ts";
import { beginFactor, finishFactor, issueRecoveryCodes, recordFactors } from "./adding.ts";
import { relyingPartyOf } from "./passkeys.ts";
import { isFactorRequired, openTicket, type PasskeySite } from "./sign-in.ts";
import { presentFactor } from "./store.ts";

/** How long after entering a password it is not required again. */
const provedMs = 5 * 60_000;

type Proof = { tokenHash: string; password?: string | undefined };

export async function listFactors(
  ctx: Context,
  { origin }: PasskeySite,
): Promise<{
  factors: Factor[];
  recoveryCodes: number;
  demanded: boolean;
  possible: FactorType[];
  hasPassword: boolean;
}> {
  const actor = requireActor(ctx);
  const { factors, users } = ctx.store;
  const [own, recoveryCodes, passwordHash] = await Promise.all([
    factors.ofUser(actor.id),
    factors.countRecoveryCodes(actor.id),
    users.passwordHash(actor.id),
  ]);
  const possible: FactorType[] = [];
  const hasPassword = passwordHash !== undefined;
  if (hasPassword && ctx.secrets !== null && own.every(({ type }) => type !== "totp")) possible.push("totp");
  if (hasPassword && relyingPartyOf(origin) !== null) possible.push("passkey");
  return {
    factors: own.map(presentFactor),
    recoveryCodes,
    demanded: isFactorRequired(ctx, actor),
    possible,
    hasPassword,
  };
}

type Added = Partial<BegunFactor> & { factor?: Factor; recoveryCodes?: string[] };

/** @throws AppError `impossible` (password, code, passkey, too many), `unauthenticated`, `conflict`, `too_many` */
export async function addFactor(ctx: Context, input: PasskeySite & Proof & AddFactorInput): Promise<Added> {
  const actor = requireActor(ctx);
  const { type, ticket, origin } = input;
  if (ticket === undefined) await requireProof(ctx, input);
  const withUser = <Result>(run: (tx: StoreInTransaction, user: Account) => Promise<Result>) =>
    ctx.store.transaction(async (tx) => {
      const user = await tx.users.lock(actor.id);
      if (user === undefined) throw new AppError("not_found", "User does not exist");
      if ((await tx.users.passwordHash(user.id)) === undefined)
        throw new AppError("impossible", "Second factors protect passwords, and this account has no password");
      return run(tx, user);
    });

  if (ticket !== undefined) {
    return withUser(async (tx, user) => {
      const stored = await tx.tickets.find(hashToken(ticket), ctx.clock.now());
      if (stored?.purpose !== "add" || stored.userId !== user.id)
        throw new AppError("impossible", "This took too long, please start again");
      const { factor, recoveryCodes } = await finishFactor(ctx, tx, user, { ticket: stored, given: input, origin });
      await tx.tickets.take(stored.tokenHash);
      return { factor: presentFactor(factor), ...(recoveryCodes && { recoveryCodes }) };
    });
  }
  if (type === "recovery") {
    return withUser(async (tx, user) => {
      if ((await tx.factors.ofUser(user.id)).length === 0)
        throw new AppError("impossible", "Add a second factor before you create recovery codes");
      return { recoveryCodes: await issueRecoveryCodes(tx, user) };
    });
  }
  return withUser(async (tx, user) => {
    const { stored, ...begun } = await beginFactor(ctx, tx, user, { type, origin });
    return { ...(await openTicket(ctx, tx, { purpose: "add", userId: user.id, ...stored })), ...begun };
  });
}

/** Removing the last factor also deletes the recovery codes. @throws AppError `not_found`, `impossible` */
export async function removeFactor(ctx: Context, input: Proof & { id: number }): Promise<void> {
  const actor = requireActor(ctx);
  await requireProof(ctx, input);
  await ctx.store.transaction(async (tx) => {
    const user = await tx.users.lock(actor.id);
    const before = await tx.factors.ofUser(actor.id);
    if (user === undefined || before.every(({ id }) => id !== input.id))
      throw new AppError("not_found", "Second factor does not exist");
    const after = before.filter(({ id }) => id !== input.id);
    if (after.length === 0 && isFactorRequired(ctx, user))
      throw new AppError("impossible", "A second factor is required: add another one first");
    await (after.length === 0 ? tx.factors.deleteOfUser(user.id) : tx.factors.delete(user.id, input.id));
    await recordFactors(tx, user, before, after);
  });
}

/** For users who lost their factors. Admins only. @throws AppError `not_found`, `forbidden` */
export async function resetFactors(ctx: Context, { id }: { id: number }): Promise<void> {
  const actor = requireAdmin(ctx);
  await ctx.store.transaction(async (tx) => {
    const user = await tx.users.lock(id);
    if (user === undefined) throw new AppError("not_found", "User does not exist");
    await clearFactors(tx, user);
  });
  ctx.log.info({ userId: id, actorId: actor.id }, "second factors removed");
}

export async function clearFactors(tx: StoreInTransaction, user: Account): Promise<void> {
  const before = await tx.factors.ofUser(user.id);
  await tx.factors.deleteOfUser(user.id);
  await tx.tickets.deleteOfUser(user.id);
  await recordFactors(tx, user, before, []);
}

/** Ends the caller's other sessions; API keys keep working. @throws AppError `impossible`, `too_many` */
export async function endOtherSessions(ctx: Context, input: Proof): Promise<void> {
  const { id: userId, username } = requireActor(ctx);
  await requireProof(ctx, input);
  await changeSessions(ctx, async ({ users, sessions, audit, end }) => {
    await users.lock(userId);
    await end(await sessions.deleteLogins(userId, input.tokenHash));
    await record({ audit }, { action: "end", target: { type: "session", id: "others", name: username } });
  });
}

/**
 * Protects against stolen and unattended sessions. Accounts without a password pass.
 * @throws AppError `impossible` at `password`, `too_many`
 */
async function requireProof(ctx: Context, { tokenHash, password }: Proof): Promise<void> {
  const { id } = requireActor(ctx);
  const known = await ctx.store.users.passwordHash(id);
  if (known === undefined) return;
  if (password === undefined) {
    const provedAtMs = await ctx.store.sessions.provedAt(tokenHash);
    if (provedAtMs !== undefined && Math.abs(ctx.clock.now() - provedAtMs) < provedMs) return;
    const message = "Please enter your password again";
    throw new AppError("impossible", message, { details: [{ path: "password", message }] });
  }
  await ctx.passwords.inTurn(
    `user ${id}`,
    (hashing) => requireCurrent(ctx, hashing, { id, known, given: password, path: "password" }),
    ctx.signal,
  );
  await ctx.store.sessions.prove(tokenHash, ctx.clock.now());
}
