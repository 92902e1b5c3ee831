import type { GrantedRole, SignInError } from "@sonde/proto/http/sign-in";
import { email as emailShape, username as usernameShape } from "@sonde/proto/http/users";
import { type Context, record } from "../context.ts";
import type { SessionChange } from "../sessions/change.ts";
import { type Account, isLastAdmin, presentUser, userAuditTarget } from "../users/store.ts";
import type { OpenProvider } from "./store.ts";

export type Claims = { sub: string } & Record<string, unknown>;
/** An existing account found by its email address: its previous state and its new role. */
export type LinkedAccount = { before: Account; role: Account["role"]; mails: string[] };
type Admitted = { identityId: number; linked?: LinkedAccount | undefined } | { error: SignInError };

/** The caller holds `users.lockAll`, because the account may be the last administrator's. */
export async function admitIdentity(
  ctx: Context,
  change: SessionChange,
  provider: OpenProvider,
  claims: Claims,
  granted: GrantedRole,
): Promise<Admitted> {
  const { users, signIn } = change;
  // The first account must have a password, and the setup code if one is configured.
  if (!(await users.any())) return { error: "no-account" };
  const issuer = typeof claims["iss"] === "string" ? claims["iss"] : provider.issuer;
  // Earlier versions stored the issuer as it was entered, possibly with a different trailing slash.
  const known = (await signIn.identity(issuer, claims.sub)) ?? (await signIn.identity(provider.issuer, claims.sub));
  const insert = (userId: number) => signIn.insertIdentity({ issuer, sub: claims.sub, userId }, ctx.clock.now());
  const found = known === undefined ? await linkByMail(ctx, change, provider, claims, granted) : undefined;
  const user = known === undefined ? found?.user : await users.lock(known.userId);
  if (user?.status === "pending") return { error: "pending" };
  if (user?.status === "disabled") return { error: "disabled" };
  if (user === undefined) {
    if (granted === "none") return { error: "no-role" };
    const made = await createAccount(ctx, change, provider, claims, granted);
    return { identityId: await insert(made.id) };
  }
  const identityId = known?.issuer === issuer ? known.id : await insert(user.id);
  const role = await grantRole(ctx, change, provider, user, granted);
  if (role === null) return { error: "no-role" };
  return { identityId, linked: found && { before: found.user, role, mails: found.mails } };
}

/**
 * `none` ends the user's sessions. The last administrator with a password keeps that role.
 * @param user locked; the caller holds `users.lockAll`
 * @returns the user's new role, or `null` if they lost access
 */
export async function grantRole(
  ctx: Context,
  { users, sessions, audit, end, refresh }: SessionChange,
  provider: Pick<OpenProvider, "slug" | "name">,
  user: Account,
  granted: GrantedRole,
): Promise<Account["role"] | null> {
  if (granted === "none") {
    await end(await sessions.deleteOfUser(user.id));
    await record(
      { audit },
      { action: "end", target: { type: "session", id: user.id, name: user.username }, by: byOf(provider) },
    );
    return null;
  }
  if (granted === user.role) return granted;
  if (await isLastAdmin(users, user)) {
    ctx.log.warn({ userId: user.id, granted }, "kept the role of the last administrator with a password");
    return user.role;
  }
  const { username, email, emailVerified, status } = user;
  const changed = await users.update(user.id, { username, email, emailVerified, status, role: granted });
  await refresh(changed);
  await record(
    { audit },
    {
      action: "update",
      target: userAuditTarget(changed),
      before: presentUser(user),
      after: presentUser(changed),
      by: byOf(provider),
    },
  );
  return granted;
}

export const byOf = ({ name }: Pick<OpenProvider, "name">) => ({ username: name });

/**
 * Links the account with this address, if the provider is trusted with addresses and both sides verified this one:
 * users can enter any address themselves. Removes everything that could open the account before, except an
 * administrator's password and second factors, which work while the provider is unavailable.
 */
async function linkByMail(
  ctx: Context,
  change: SessionChange,
  provider: OpenProvider,
  claims: Claims,
  granted: GrantedRole,
): Promise<{ user: Account; mails: string[] } | undefined> {
  const mail = verifiedMail(provider, claims);
  if (mail === undefined || granted === "none") return undefined;
  const { users, signIn, audit, factors, tickets, endAll } = change;
  const found = await users.byMail(mail);
  const user = found && (await users.lock(found.id));
  if (user === undefined || !user.emailVerified) return undefined;
  const mails = [...new Set([user.email ?? mail, mail])];
  if (user.status !== "active") return { user, mails };
  if (user.role !== "admin") {
    await users.setPassword(user.id, null);
    await factors.deleteOfUser(user.id);
  }
  await tickets.deleteOfUser(user.id);
  const identities = await signIn.deleteIdentities(user.id);
  await endAll(user.id);
  await record(
    { audit },
    {
      action: "update",
      target: userAuditTarget(user),
      before: { identities },
      after: { provider: provider.slug, identities: [`${provider.issuer} ${claims.sub}`] },
      by: byOf(provider),
    },
  );
  ctx.log.info({ userId: user.id, provider: provider.slug }, "account linked by email address");
  return { user, mails };
}

const verifiedMail = ({ linkByMail: isTrusted }: OpenProvider, { email, email_verified: isVerified }: Claims) =>
  isTrusted && isVerified === true ? emailShape.safeParse(email).data : undefined;

async function createAccount(
  ctx: Context,
  { users, audit }: SessionChange,
  provider: OpenProvider,
  claims: Claims,
  role: Account["role"],
): Promise<Account> {
  const given = emailShape.safeParse(claims["email"]).data;
  const email = given !== undefined && (await users.byMail(given)) === undefined ? given : null;
  const user = await users.insert({
    username: await findFreeName(users, usernameCandidates(claims)),
    email,
    emailVerified: email !== null && verifiedMail(provider, claims) !== undefined,
    role,
    status: "active",
    passwordHash: null,
    createdAtMs: ctx.clock.now(),
  });
  await record({ audit }, { action: "register", target: userAuditTarget(user), after: presentUser(user), by: user });
  return user;
}

/** Returns valid usernames, the best first. */
export function usernameCandidates(claims: Record<string, unknown>): string[] {
  const mail = claims["email"];
  const given = [
    claims["preferred_username"],
    typeof mail === "string" ? mail.split("@")[0] : undefined,
    claims["name"],
  ];
  return given.flatMap((text) => {
    if (typeof text !== "string") return [];
    const trimmed = text.normalize("NFC").slice(0, 60).trim();
    const plain = trimmed.replace(/[^\w.@+-]+/g, "-").replace(/^-+|-+$/g, "");
    return [trimmed, plain].filter((name) => usernameShape.safeParse(name).success);
  });
}

const maxTries = 1000;

async function findFreeName(users: SessionChange["users"], names: readonly string[]): Promise<string> {
  const [best = "user"] = names;
  for (let at = 1; at <= maxTries; at += 1) {
    const name = at === 1 ? best : `${best.slice(0, 58)}-${at}`;
    if ((await users.byAnyName(name)) === undefined) return name;
  }
  return `user-${crypto.randomUUID()}`;
}
