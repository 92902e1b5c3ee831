import { clipText } from "@sonde/kit/clip";
import { AppError } from "@sonde/kit/errors";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { LoginInput, sessionsAnswer } from "@sonde/proto/http/auth";
import { countedAddress } from "@sonde/kit/addresses";
import { hash, randomBytes } from "node:crypto";
import type { z } from "zod";
import { type Context, record, requireActor } from "../context.ts";
import { keyOf, targetOf, type Account } from "../users/store.ts";
import { changeSessions, type SessionChange } from "./change.ts";
import type { StoredSession } from "./store.ts";

const sessionMs = 7 * 24 * 3_600_000;
/** Every gateway holds every session in memory: one account must not fill it by logging in again and again. */
const mostSessions = 100;
const longestClientBytes = 400;
const logins = counter("sonde_auth_logins_total", "Logins by outcome", ["outcome"]);

/**
 * Opens a session of seven days; beyond 100 of one user the oldest end. The response is the same, and as slow, for an
 * unknown user as for a wrong password; that an account is disabled is reported only with the right password.
 * @throws AppError `unauthenticated`, `forbidden` (pending, disabled), `too_many`
 */
export async function login(ctx: Context, input: LoginInput & Origin): Promise<OpenedSession> {
  const { username, password } = input;
  const address = countedAddress(input.address);
  const name = keyOf(username);
  const refuse = () => ctx.store.attempts.refuseTooMany("login", address, name, ctx.clock.now());
  try {
    // An address over the limit takes no place in the queue.
    await refuse();
    const known = await ctx.passwords.inTurn(
      address,
      async ({ verify }) => {
        // One at a time: what was counted cannot be outrun by asking many times at once.
        await refuse();
        const user = await ctx.store.users.byName(username);
        const passwordHash = user && (await ctx.store.users.passwordHash(user.id));
        const matches = await verify(passwordHash ?? null, password);
        if (matches && user !== undefined && passwordHash !== undefined) return { id: user.id, passwordHash };
        await ctx.store.attempts.add("login", address, name, ctx.clock.now());
        throw new AppError("unauthenticated", "Incorrect username or password");
      },
      ctx.signal,
    );
    const opened = await open(ctx, known, input);
    await ctx.store.attempts.clear("login", address, name);
    logins.inc({ outcome: "ok" });
    return opened;
  } catch (error) {
    const outcome = error instanceof AppError ? error.code : "internal";
    logins.inc({ outcome });
    ctx.log.info({ address: input.address, outcome }, "login refused");
    throw error;
  }
}

/** Where a login comes from. `client`: what the browser or program calls itself. */
export type Origin = { address: string; client?: string | undefined };

/** A login by password. A change of the password or a deletion of the user in between wins. */
function open(ctx: Context, known: { id: number; passwordHash: string }, origin: Origin): Promise<OpenedSession> {
  return changeSessions(ctx, async (change) => {
    const user = await change.users.lock(known.id);
    if (user === undefined || (await change.users.passwordHash(user.id)) !== known.passwordHash)
      throw new AppError("unauthenticated", "Incorrect username or password");
    return openSession(ctx, change, user, origin);
  });
}

export type OpenedSession = { token: string; tokenHash: string; user: Account };

/**
 * Opens a session of seven days for a user who has proved who they are, however they did; beyond 100 of one user the
 * oldest end.
 * @param user as locked in the transaction of `change`
 * @throws AppError `forbidden` (pending, disabled)
 */
export async function openSession(
  ctx: Context,
  { sessions, audit, put, end }: SessionChange,
  user: Account,
  { address, client }: Origin,
): Promise<OpenedSession> {
  refuseInactive(user);
  // Every session lives equally long, so the first to expire is the oldest.
  await end(await sessions.deleteOldest(user.id, mostSessions - 1));
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
    client: client === undefined ? null : clipText(client.toWellFormed(), longestClientBytes),
  });
  await put(session);
  await record({ audit }, { action: "login", target: targetOf(user), by: user });
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
    if (user !== undefined) await record({ audit }, { action: "logout", target: targetOf(user), by: user });
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
const newToken = (): string => randomBytes(32).toString("base64url");

/** The stored form of a token: hex SHA-256. It needs no salt, since the token is random. */
export const hashToken = (token: string): string => hash("sha256", token, "hex");
