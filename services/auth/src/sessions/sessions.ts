import { clipText } from "@sonde/kit/clip";
import { AppError } from "@sonde/kit/errors";
import type { sessionsAnswer } from "@sonde/proto/http/auth";
import { hash, randomBytes } from "node:crypto";
import type { z } from "zod";
import { type Context, record, requireActor } from "../context.ts";
import { userAuditTarget, type Account } from "../users/store.ts";
import { changeSessions, type SessionChange } from "./change.ts";
import type { StoredSession } from "./store.ts";

const sessionMs = 7 * 24 * 3_600_000;
/** Every gateway holds every session in memory: one account must not fill it by logging in again and again. */
const maxSessions = 100;
const maxClientBytes = 400;

/** Where a login comes from. `client`: what the browser or program calls itself. `way`: by what, beside a password. */
export type Origin = { address: string; client?: string | undefined; way?: string | undefined };

export type OpenedSession = { token: string; tokenHash: string; user: Account };

/**
 * Opens a session of seven days for a user who has proved who they are, however they did; beyond 100 of one user the
 * oldest end.
 * @param user as locked in the transaction of `change`
 * @throws AppError `forbidden` (pending, disabled)
 */
export async function createSession(
  ctx: Context,
  { sessions, audit, put, end }: SessionChange,
  user: Account,
  { address, client, way }: Origin,
): Promise<OpenedSession> {
  refuseInactive(user);
  // Every session lives equally long, so the first to expire is the oldest.
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

/** Ends a session, idempotently. Its token suffices. */
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

/** The caller's sessions, the newest first. */
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

/** Ends one of the caller's sessions. @throws AppError `not_found` */
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

/** Whose a token is, straight from PostgreSQL. @throws AppError `not_found`: no such session (any more) */
export async function resolveSession(
  ctx: Context,
  { tokenHash, keys = false }: { tokenHash: string; keys?: boolean | undefined },
): Promise<StoredSession> {
  const session = await ctx.store.sessions.resolve(tokenHash, ctx.clock.now());
  if (session === undefined || (session.key !== null && !keys)) throw new AppError("not_found", "Please log in");
  return session;
}

/** 256 random bits, without any information about the user. */
export const newToken = (): string => randomBytes(32).toString("base64url");

/** The stored form of a token: hex SHA-256. It needs no salt, since the token is random. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");

/**
 * Whether a user may come in by what Sonde keeps of them, a password or a passkey. Where these are switched off the
 * administrator of longest ago still may: there is always one way in.
 * @throws AppError `forbidden`
 */
export async function requirePasswordsFor(
  { signIn }: Context,
  { users }: SessionChange,
  { id, role }: Account,
): Promise<void> {
  const { passwords } = signIn;
  if (passwords === "on" || (passwords === "admins" && role === "admin")) return;
  if (passwords === "off" && (await users.adminsWithPassword())[0] === id) return;
  throw new AppError("forbidden", "Password sign-in is disabled: please use your identity provider");
}
