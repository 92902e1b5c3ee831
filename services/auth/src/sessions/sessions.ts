import { clipText } from "@sonde/kit/clip";
import { AppError } from "@sonde/kit/errors";
import type { sessionsAnswer } from "@sonde/proto/http/auth";
import type { PasswordPolicy } from "@sonde/proto/http/sign-in";
import type { Role } from "@sonde/proto/http/users";
import { hash, randomBytes } from "node:crypto";
import type { z } from "zod";
import { type Context, record, requireActor } from "../context.ts";
import { userAuditTarget, type Account } from "../users/store.ts";
import { changeSessions, type SessionChange } from "./change.ts";
import type { StoredSession } from "./store.ts";

const sessionMs = 7 * 24 * 3_600_000;
/** Bounds memory: every gateway holds all sessions. */
const maxSessions = 100;
const maxClientBytes = 400;

/** `client` is the User-Agent header, `way` the factor or provider that was used. */
export type Origin = { address: string; client?: string | undefined; way?: string | undefined };

export type OpenedSession = { token: string; tokenHash: string; user: Account };

/**
 * Opens a session for seven days, ending the oldest beyond 100. @param user locked in the transaction of `change`
 * @throws AppError `forbidden` (pending, disabled)
 */
export async function createSession(
  ctx: Context,
  { sessions, audit, put, end }: SessionChange,
  user: Account,
  { address, client, way }: Origin,
): Promise<OpenedSession> {
  refuseInactive(user);
  // All sessions have the same lifetime, so the first to expire is the oldest.
  await end(await sessions.deleteOldest(user.id, maxSessions - 1));
  const token = newToken();
  const startedAtMs = ctx.clock.now();
  const session = { tokenHash: hashToken(token), expiresAtMs: startedAtMs + sessionMs, user, key: null };
  const { tokenHash, expiresAtMs } = session;
  await sessions.insert({
    tokenHash,
    userId: user.id,
    startedAtMs,
    expiresAtMs,
    address,
    client: client === undefined ? null : clipText(client.toWellFormed(), maxClientBytes),
    provedAtMs: startedAtMs,
  });
  await put(session);
  await record(
    { audit },
    { action: "login", target: userAuditTarget(user), by: user, after: way === undefined ? null : { by: way } },
  );
  return { token, tokenHash, user };
}

/** @throws AppError `forbidden` */
export function refuseInactive({ status }: Pick<Account, "status">): void {
  if (status === "pending") throw new AppError("forbidden", "The account is waiting for approval");
  if (status === "disabled") throw new AppError("forbidden", "The account is disabled");
}

/** Idempotent. The token is sufficient authorisation. */
export async function logout(ctx: Context, { tokenHash }: { tokenHash: string }): Promise<void> {
  const userId = await ctx.store.sessions.ownerOf(tokenHash);
  if (userId === undefined) return;
  await changeSessions(ctx, async ({ users, sessions, audit, end }) => {
    const user = await users.lock(userId);
    if (!(await sessions.delete(tokenHash))) return;
    await end([tokenHash]);
    if (user !== undefined) await record({ audit }, { action: "logout", target: userAuditTarget(user), by: user });
  });
}

export async function listSessions(
  ctx: Context,
  { tokenHash }: { tokenHash: string },
): Promise<Pick<z.input<typeof sessionsAnswer>, "sessions">> {
  const rows = await ctx.store.sessions.listOfUser(requireActor(ctx).id, ctx.clock.now());
  const instant = (ms: number) => new Date(ms).toISOString();
  return {
    sessions: rows.map(({ id, startedAtMs, expiresAtMs, address, client, ...row }) => ({
      id,
      startedAt: startedAtMs === null ? undefined : instant(startedAtMs),
      expiresAt: instant(expiresAtMs),
      address: address ?? undefined,
      client: client ?? undefined,
      isCurrent: row.tokenHash === tokenHash,
    })),
  };
}

/** @throws AppError `not_found` */
export async function endSession(ctx: Context, { id }: { id: number }): Promise<void> {
  const { id: userId, username } = requireActor(ctx);
  await changeSessions(ctx, async ({ users, sessions, audit, end }) => {
    await users.lock(userId);
    const ended = await sessions.deleteById(userId, id);
    if (ended.length === 0) throw new AppError("not_found", "Session does not exist");
    await end(ended);
    await record({ audit }, { action: "end", target: { type: "session", id, name: username } });
  });
}

/** Reads PostgreSQL, not the bucket. @throws AppError `not_found` */
export async function resolveSession(
  ctx: Context,
  { tokenHash, keys = false }: { tokenHash: string; keys?: boolean | undefined },
): Promise<StoredSession> {
  const session = await ctx.store.sessions.resolve(tokenHash, ctx.clock.now());
  if (session === undefined || (session.key !== null && !keys)) throw new AppError("not_found", "Please log in");
  return session;
}

/** 256 random bits; encodes nothing about the user. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** Unsalted, since tokens are random. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");

export const mayUsePassword = (passwords: PasswordPolicy, role: Role): boolean =>
  passwords === "on" || (passwords === "admins" && role === "admin");

/** The oldest administrator with a password may always log in. @throws AppError `forbidden` */
export async function requirePasswordsFor(
  { signIn }: Context,
  { users }: SessionChange,
  { id, role }: Account,
): Promise<void> {
  const { passwords } = signIn;
  if (mayUsePassword(passwords, role)) return;
  if (passwords === "off" && (await users.adminsWithPassword())[0] === id) return;
  throw new AppError("forbidden", "Password sign-in is disabled: please use your identity provider");
}
