import { countedAddress } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import type { BegunFactor, FactorDemand, FactorInput, FactorMethod, FactorType } from "@sonde/proto/http/factors";
import type { Context, StoreInTransaction } from "../context.ts";
import { changeSessions, type SessionChange } from "../sessions/change.ts";
import {
  hashToken,
  newToken,
  type OpenedSession,
  createSession,
  type Origin,
  requirePasswordsFor,
} from "../sessions/sessions.ts";
import type { Account } from "../users/store.ts";
import { beginFactor, digitsOf, finishFactor, isPasskey, noPasskeys, wrongClock } from "./adding.ts";
import { relyingPartyOf, requestOptions, verifyProof } from "./passkeys.ts";
import { hashRecoveryCode } from "./recovery.ts";
import { requireSecretBox } from "./secrets.ts";
import type { StoredPasskey, Ticket } from "./store.ts";
import { matchingStep, stepOutsideTolerance } from "./totp.ts";

const ticketMs = 5 * 60_000;
const maxTries = 5;

/** Origin of the browser; passkeys are bound to it. */
export type PasskeySite = { origin?: string | undefined };

export async function openTicket(
  ctx: Context,
  { tickets }: Pick<StoreInTransaction, "tickets">,
  fields: Pick<Ticket, "purpose" | "userId"> & Partial<Pick<Ticket, "challenge" | "sealedSecret">>,
): Promise<{ ticket: string; expiresAt: string }> {
  const ticket = newToken();
  const expiresAtMs = ctx.clock.now() + ticketMs;
  await tickets.insert({ challenge: null, sealedSecret: null, ...fields, tokenHash: hashToken(ticket), expiresAtMs });
  return { ticket, expiresAt: new Date(expiresAtMs).toISOString() };
}

/** Returns the factor to present or enrol, or `null`. @param user locked in the transaction */
export async function demandFactor(
  ctx: Context,
  tx: StoreInTransaction,
  user: Account,
  { origin }: PasskeySite,
): Promise<FactorDemand | null> {
  const known = await tx.factors.ofUser(user.id);
  if (known.length === 0) {
    if (!isFactorRequired(ctx, user)) return null;
    return { ...(await openTicket(ctx, tx, { purpose: "enroll", userId: user.id })), methods: ["enroll"] };
  }
  const party = relyingPartyOf(origin);
  const passkeys = known.filter(isPasskey);
  const asked = party === null || passkeys.length === 0 ? null : await requestOptions(party, passkeys);
  const methods: FactorMethod[] = [];
  if (asked !== null) methods.push("passkey");
  if (known.length > passkeys.length) methods.push("totp");
  if ((await tx.factors.countRecoveryCodes(user.id)) > 0) methods.push("recovery");
  const fields = { purpose: "login", userId: user.id, challenge: asked?.challenge ?? null } as const;
  return { ...(await openTicket(ctx, tx, fields)), methods, ...(asked !== null && { passkey: asked.options }) };
}

export const isFactorRequired = ({ factorPolicy }: Context, { role }: Pick<Account, "role">): boolean =>
  factorPolicy === "all" || (factorPolicy === "admins" && role === "admin");

type Ticketed = { ticket: string; expiresAt: string };

/** Starts a sign-in with only a passkey. @throws AppError `impossible` (passkeys not available here), `too_many` */
export async function beginPasskey(
  ctx: Context,
  { address, origin }: PasskeySite & { address: string },
): Promise<Ticketed & { passkey: Record<string, unknown> }> {
  const party = relyingPartyOf(origin);
  if (party === null) throw noPasskeys();
  const counted = countedAddress(address);
  const nowMs = ctx.clock.now();
  await ctx.store.attempts.refuseTooMany("passkey", counted, "", nowMs);
  await ctx.store.attempts.add("passkey", counted, "", nowMs);
  const { challenge, options } = await requestOptions(party);
  return { ...(await openTicket(ctx, ctx.store, { purpose: "passkey", userId: null, challenge })), passkey: options };
}

/** @throws AppError `unauthenticated` (ticket expired), and those of `beginFactor` */
export async function enroll(
  ctx: Context,
  { ticket, type, origin }: PasskeySite & { ticket: string; type: FactorType },
): Promise<BegunFactor> {
  const tokenHash = hashToken(ticket);
  return ctx.store.transaction(async (tx) => {
    const { user, stored } = await lockTicket(ctx, tx, tokenHash, "enroll");
    const { stored: fields, ...begun } = await beginFactor(ctx, tx, user, { type, origin });
    await tx.tickets.update(tokenHash, fields);
    return { ticket, expiresAt: new Date(stored.expiresAtMs).toISOString(), ...begun };
  });
}

/** Locks the ticket's user, which serialises concurrent uses. */
async function lockTicket(
  ctx: Context,
  { users, tickets }: StoreInTransaction,
  tokenHash: string,
  ...purposes: Ticket["purpose"][]
): Promise<{ user: Account; stored: Ticket }> {
  const owner = (await tickets.find(tokenHash, ctx.clock.now()))?.userId;
  const user = owner === undefined || owner === null ? undefined : await users.lock(owner);
  const stored = await tickets.find(tokenHash, ctx.clock.now());
  if (user === undefined || stored === undefined || !purposes.includes(stored.purpose)) throw ticketOver();
  return { user, stored };
}

const ticketOver = () => new AppError("unauthenticated", "The login took too long, please start again");

type Use = PasskeySite & Origin & { given: FactorInput };
type Outcome = OpenedSession & { recoveryCodes?: string[] | undefined };

/** @throws AppError `unauthenticated` (wrong, or ticket expired), `forbidden`, `too_many` */
export async function useFactor(ctx: Context, use: Use): Promise<Outcome> {
  const tokenHash = hashToken(use.given.ticket);
  const ticket = await ctx.store.tickets.find(tokenHash, ctx.clock.now());
  if (ticket === undefined || ticket.purpose === "add") throw ticketOver();
  if (ticket.purpose === "passkey") return usePasskeyOnly(ctx, tokenHash, use);
  if (ticket.purpose === "enroll") return useEnrolled(ctx, tokenHash, use);
  const opened = await changeSessions(ctx, async (change) => {
    const { user, stored } = await lockTicket(ctx, change, tokenHash, "login");
    const guess = limitGuesses(ctx, change, user, use);
    await guess.refuse();
    const way = await prove(ctx, change, user, stored, use);
    // Return instead of throwing: a throw would roll back the counted attempt.
    if (way === null || way === "clock") {
      await guess.count(stored);
      return way === "clock" ? wrongClock : use.given.passkey === undefined ? "The code is not correct" : unverified;
    }
    await change.tickets.take(tokenHash);
    await guess.clear();
    return createSession(ctx, change, user, { ...use, way });
  });
  if (typeof opened !== "string") return opened;
  ctx.log.info({ address: use.address, userId: ticket.userId }, "second factor rejected");
  throw new AppError("unauthenticated", opened);
}

const unverified = "The passkey could not be verified";

/** Recovery codes and passkeys cannot be guessed, and stay usable: an attacker cannot lock out the owner. */
function limitGuesses(ctx: Context, { attempts, tickets }: SessionChange, user: Account, { address, given }: Use) {
  const [from, subject, nowMs] = [countedAddress(address), `user ${user.id}`, ctx.clock.now()];
  return {
    refuse: async () => {
      if (given.passkey !== undefined) return;
      await attempts.refuseTooMany("factor", from, subject, nowMs);
      if (given.code !== undefined) await attempts.refuseTooMany("codes", subject, subject, nowMs);
    },
    count: async ({ tokenHash, tries }: Ticket): Promise<void> => {
      await attempts.add("factor", from, subject, nowMs);
      if (given.code !== undefined) await attempts.add("codes", subject, subject, nowMs);
      if (tries + 1 >= maxTries) await tickets.take(tokenHash);
      else await tickets.update(tokenHash, { tries: tries + 1 });
    },
    clear: () => attempts.clear("factor", from, subject),
  };
}

/** Returns `clock` for a correct code of another time step, `null` if nothing was proved. */
async function prove(
  ctx: Context,
  { factors }: SessionChange,
  user: Account,
  { challenge }: Ticket,
  { given, origin }: Use,
): Promise<"totp" | "recovery" | "passkey" | "clock" | null> {
  if (given.recoveryCode !== undefined)
    return (await factors.useRecoveryCode(user.id, hashRecoveryCode(given.recoveryCode))) ? "recovery" : null;
  const known = await factors.ofUser(user.id);
  const lastUsedAtMs = ctx.clock.now();
  if (given.passkey !== undefined) {
    const passkey = known.filter(isPasskey).find(({ credentialId }) => credentialId === given.passkey!.id);
    return passkey !== undefined && (await provePasskey(ctx, factors, passkey, challenge, { given, origin }))
      ? "passkey"
      : null;
  }
  const app = known.find((factor) => factor.type === "totp");
  if (app === undefined || given.code === undefined) return null;
  const secret = Buffer.from(requireSecretBox(ctx).open(app.sealedSecret, "totp"), "base64");
  const code = digitsOf(given.code);
  const lastStep = matchingStep(secret, code, lastUsedAtMs, app.lastStep);
  if (lastStep === null) {
    const other = stepOutsideTolerance(secret, code, lastUsedAtMs, app.lastStep);
    if (other === null) return null;
    // Mark that step as used: having confirmed the code, we must not accept it when its time comes.
    await factors.use(app.id, { lastStep: other });
    return "clock";
  }
  await factors.use(app.id, { lastUsedAtMs, lastStep });
  return "totp";
}

async function provePasskey(
  ctx: Context,
  factors: SessionChange["factors"],
  passkey: StoredPasskey,
  challenge: string | null,
  { given, origin }: Pick<Use, "given" | "origin">,
): Promise<boolean> {
  const party = relyingPartyOf(origin);
  if (party === null || challenge === null || given.passkey === undefined) return false;
  const counter = await verifyProof(given.passkey, passkey, { party, challenge });
  if (counter === null) return false;
  await factors.use(passkey.id, { lastUsedAtMs: ctx.clock.now(), counter });
  return true;
}

/** A passkey requires a fingerprint or PIN, so it counts as both factors. */
async function usePasskeyOnly(ctx: Context, tokenHash: string, use: Use): Promise<Outcome> {
  const ticket = await ctx.store.tickets.find(tokenHash, ctx.clock.now());
  // A challenge is valid for one response, successful or not.
  if (ticket === undefined || !(await ctx.store.tickets.take(tokenHash))) throw ticketOver();
  const owner = await ctx.store.factors.byCredential(use.given.passkey?.id ?? "");
  const opened = await changeSessions(ctx, async (change) => {
    const user = owner === undefined ? undefined : await change.users.lock(owner.userId);
    // Read again in the transaction: it may have been removed.
    const passkey = await change.factors.byCredential(use.given.passkey?.id ?? "");
    if (user === undefined || passkey === undefined) return null;
    if (!(await provePasskey(ctx, change.factors, passkey, ticket.challenge, use))) return null;
    await requirePasswordsFor(ctx, change, user);
    return createSession(ctx, change, user, { ...use, way: "passkey" });
  });
  if (opened === null) throw new AppError("unauthenticated", unverified);
  return opened;
}

async function useEnrolled(ctx: Context, tokenHash: string, use: Use): Promise<Outcome> {
  const { code, newPasskey: passkey, name } = use.given;
  return changeSessions(ctx, async (change) => {
    const { user, stored } = await lockTicket(ctx, change, tokenHash, "enroll");
    const given = { code, passkey, name };
    const { factor, recoveryCodes } = await finishFactor(ctx, change, user, {
      ticket: stored,
      given,
      origin: use.origin,
    });
    await change.tickets.take(tokenHash);
    const opened = await createSession(ctx, change, user, { ...use, way: factor.type });
    return { ...opened, recoveryCodes };
  });
}
