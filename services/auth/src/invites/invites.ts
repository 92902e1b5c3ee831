import { countedAddress } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import type { FactorDemand } from "@sonde/proto/http/factors";
import { type AcceptInviteInput, type Invite, inviteHours, maxInvites } from "@sonde/proto/http/invites";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { Role } from "@sonde/proto/http/users";
import { type Context, record, requireAdmin } from "../context.ts";
import { demandFactor, type PasskeySite } from "../factors/sign-in.ts";
import { sendMail } from "../mails.ts";
import { changeSessions } from "../sessions/change.ts";
import {
  createSession,
  hashToken,
  mayUsePassword,
  newToken,
  type OpenedSession,
  type Origin,
} from "../sessions/sessions.ts";
import { presentUser, userAuditTarget, usernameKey } from "../users/store.ts";
import type { InviteStore, StoredInvite } from "./store.ts";

type NewInvite = { email?: string | undefined; role: Role; site: string; language: Language };

/**
 * Creates a link that lets one person create an account, and mails it if possible.
 * @throws AppError `forbidden`, `impossible` (no passwords, or too many invites)
 */
export async function createInvite(
  ctx: Context,
  { email, role, site, language }: NewInvite,
): Promise<{ invite: Invite; url: string; mail?: "queued" | "unavailable" }> {
  const actor = requireAdmin(ctx);
  refuseWithoutPassword(ctx, role);
  const token = newToken();
  const nowMs = ctx.clock.now();
  const invite = await ctx.store.transaction(async (tx) => {
    await tx.users.lockAll();
    if ((await tx.invites.list(nowMs)).length >= maxInvites) {
      const params = { max: maxInvites };
      throw new AppError("impossible", "At most {max} invites can be open: revoke one first", { params });
    }
    const fields = { email: email ?? null, role, expiresAtMs: nowMs + inviteHours * 3_600_000 };
    const id = await tx.invites.insert({ ...fields, tokenHash: hashToken(token), createdById: actor.id });
    const made = presentInvite({ ...fields, id, createdBy: actor.username });
    await record(tx, { action: "create", target: targetOf(made), after: made });
    return made;
  });
  ctx.log.info({ inviteId: invite.id, role, actorId: actor.id }, "invite created");
  const url = `${site}/invite?lang=${language}#${token}`;
  if (email === undefined) return { invite, url };
  const isQueued = await sendMail(ctx, email, `invite-${invite.id}`, mailOf(url, actor.username, language));
  return { invite, url, mail: isQueued ? "queued" : "unavailable" };
}

function mailOf(url: string, username: string, language: Language): { subject: string; text: string } {
  const params = { username, hours: inviteHours };
  const lines = [
    translate("{username} invites you to Sonde, which monitors websites, APIs and servers.", language, params),
    translate("Open this link within {hours} hours to create your account. It works once:", language, params),
    url,
  ];
  return { subject: translate("Your invitation to Sonde", language), text: lines.join("\n\n") };
}

/** @throws AppError `forbidden` */
export async function listInvites(ctx: Context): Promise<{ invites: Invite[]; total: number }> {
  requireAdmin(ctx);
  const invites = (await ctx.store.invites.list(ctx.clock.now())).map(presentInvite);
  return { invites, total: invites.length };
}

/** @throws AppError `forbidden`, `not_found` */
export async function deleteInvite(ctx: Context, { id }: { id: number }): Promise<void> {
  requireAdmin(ctx);
  await ctx.store.transaction(async (tx) => {
    const invite = await tx.invites.find({ id }, ctx.clock.now());
    if (invite === undefined || !(await tx.invites.take(id)))
      throw new AppError("not_found", "The invite does not exist");
    const before = presentInvite(invite);
    await record(tx, { action: "delete", target: targetOf(before), before });
  });
}

/** Changes nothing. @throws AppError `not_found`, `too_many` */
export async function checkInvite(
  ctx: Context,
  { token, address }: { token: string; address: string },
): Promise<Pick<Invite, "role" | "email" | "expiresAt">> {
  await countAttempt(ctx, address);
  const { role, email, expiresAt } = presentInvite(await findInvite(ctx, ctx.store.invites, token));
  return { role, email, expiresAt };
}

/**
 * Creates the account and logs it in, or returns the second factor that it has to add. Needs no open registration.
 * @throws AppError `not_found` (unknown, used or expired), `conflict`, `impossible` (no passwords), `too_many`
 */
export async function acceptInvite(
  ctx: Context,
  input: AcceptInviteInput & Origin & PasskeySite,
): Promise<OpenedSession | { factor: FactorDemand }> {
  const { token, username, password, email = null, ...from } = input;
  await countAttempt(ctx, from.address);
  const check = async () => {
    refuseWithoutPassword(ctx, (await findInvite(ctx, ctx.store.invites, token)).role);
    await ctx.store.users.refuseTaken({ username, email });
  };
  // Check before queueing, and again afterwards: another request may have used the invite.
  await check();
  const passwordHash = await ctx.passwords.inTurn(
    countedAddress(from.address),
    async ({ hash }) => {
      await check();
      return hash(password);
    },
    ctx.signal,
  );
  return changeSessions(ctx, async (change) => {
    const invite = await findInvite(ctx, change.invites, token);
    if (!(await change.invites.take(invite.id))) throw noInvite();
    await change.users.refuseTaken({ username, email });
    const user = await change.users.insert({
      username,
      email,
      // An administrator entered this address.
      emailVerified: email !== null && invite.email !== null && usernameKey(email) === usernameKey(invite.email),
      role: invite.role,
      status: "active",
      passwordHash,
      createdAtMs: ctx.clock.now(),
    });
    const after = { ...presentUser(user), createdBy: invite.createdBy };
    await record(change, { action: "register", target: userAuditTarget(user), after, by: user });
    ctx.log.info({ userId: user.id, role: user.role, inviteId: invite.id }, "invite accepted");
    const factor = await demandFactor(ctx, change, user, from);
    return factor === null ? createSession(ctx, change, user, from) : { factor };
  });
}

/** Shares its limit with registrations. @throws AppError `too_many` */
async function countAttempt({ store, clock }: Context, address: string): Promise<void> {
  const counted = countedAddress(address);
  await store.attempts.refuseTooMany("register", counted, "", clock.now());
  await store.attempts.add("register", counted, "", clock.now());
}

/** @throws AppError `not_found` */
async function findInvite({ clock }: Context, invites: InviteStore, token: string): Promise<StoredInvite> {
  const invite = await invites.find({ tokenHash: hashToken(token) }, clock.now());
  if (invite === undefined) throw noInvite();
  return invite;
}

const noInvite = () => new AppError("not_found", "This invite was used or revoked, or it has expired");

/** @throws AppError `impossible` */
function refuseWithoutPassword({ signIn }: Context, role: Role): void {
  if (!mayUsePassword(signIn.passwords, role))
    throw new AppError("impossible", "Invites need a password, but password sign-in is disabled for this role");
}

function presentInvite({ id, email, role, expiresAtMs, createdBy }: StoredInvite): Invite {
  return { id, email: email ?? undefined, role, expiresAt: new Date(expiresAtMs).toISOString(), createdBy };
}

const targetOf = ({ id, email = "" }: Invite) => ({ type: "invite", id, name: email }) as const;
