import { AppError, invalid } from "@sonde/kit/errors";
import { type ApiKey, type CreateKeyInput, maxKeyDays, maxKeys, type UpdateKeyInput } from "@sonde/proto/http/keys";
import { type Context, record, requireActor, requireAdmin } from "../context.ts";
import { changeSessions } from "../sessions/change.ts";
import { hashToken } from "../sessions/sessions.ts";
import { newKeyToken, prefixOf } from "./token.ts";
import type { StoredKey } from "./store.ts";

const dayMs = 24 * 3_600_000;
/** Token expiry of keys that never expire: the end of the year 9999. */
const neverMs = 253_402_300_799_999;

type NewSecret = { key: ApiKey; secret: string };

/** With `all`, the keys of every account. @throws AppError `forbidden` */
export async function listKeys(ctx: Context, { all = false }: { all?: boolean | undefined }): Promise<ApiKey[]> {
  const actor = all ? requireAdmin(ctx) : requireActor(ctx);
  return (await ctx.store.keys.list(all ? null : actor.id)).map(presentKey);
}

/** @throws AppError `invalid` (expiry, account), `forbidden`, `impossible` (too many keys) */
export async function createKey(ctx: Context, input: CreateKeyInput): Promise<NewSecret> {
  const actor = requireActor(ctx);
  const { accountId = actor.id, name, scopes, allowFrom } = input;
  if (accountId !== actor.id) {
    requireAdmin(ctx);
    if (!(await ctx.store.users.isService(accountId))) throw noAccount();
  }
  const createdAtMs = ctx.clock.now();
  const expiresAtMs = readExpiry(ctx, input.expiresAt, createdAtMs);
  const secret = newKeyToken();
  const id = await changeSessions(ctx, async ({ users, keys, sessions, audit, put }) => {
    const user = await users.lock(accountId);
    if (user === undefined) throw noAccount();
    if ((await keys.countOf(accountId)) >= maxKeys) {
      throw new AppError("impossible", "An account can have at most {max} API keys", { params: { max: maxKeys } });
    }
    const key = { name, scopes: [...new Set(scopes)], allowFrom: [...new Set(allowFrom)] };
    const prefix = prefixOf(secret);
    const made = { ...key, userId: accountId, prefix, createdAtMs, createdBy: actor.username, expiresAtMs };
    const keyId = await keys.insert(made);
    const token = { tokenHash: hashToken(secret), expiresAtMs: expiresAtMs ?? neverMs };
    await sessions.insertOfKey({ ...token, userId: accountId, keyId });
    await put({ ...token, user, key: { ...key, id: keyId } });
    await recordKey({ keys, audit }, "create", null, keyId);
    return keyId;
  });
  ctx.log.info({ keyId: id, accountId, actorId: actor.id }, "API key created");
  return { key: presentKey(found(await ctx.store.keys.find(id))), secret };
}

/** @throws AppError `invalid`, `forbidden` */
function readExpiry(ctx: Context, expiresAt: string | null | undefined, nowMs: number): number | null {
  if (expiresAt === null) {
    requireAdmin(ctx);
    return null;
  }
  const latestMs = nowMs + maxKeyDays * dayMs;
  if (expiresAt === undefined) return latestMs;
  const atMs = Date.parse(expiresAt);
  refusePast(atMs, nowMs);
  if (atMs <= latestMs) return atMs;
  throw invalid([
    { path: "expiresAt", message: "Choose a time at most {max} days ahead", params: { max: maxKeyDays } },
  ]);
}

/** @throws AppError `invalid` */
function refusePast(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs === null || expiresAtMs > nowMs) return;
  throw invalid([{ path: "expiresAt", message: "Choose a time in the future" }]);
}

/** @throws AppError `not_found`, `forbidden`, `invalid` (expiry in the past, or later than before) */
export async function updateKey(ctx: Context, input: UpdateKeyInput & { id: number }): Promise<ApiKey> {
  const { id, name, allowFrom, expiresAt } = input;
  await changeKey(ctx, id, "update", async (before, { keys, sessions, put, end }) => {
    const expiresAtMs = expiresAt === undefined ? before.expiresAtMs : Date.parse(expiresAt);
    if (expiresAt !== undefined && expiresAtMs! > (before.expiresAtMs ?? neverMs)) {
      throw invalid([{ path: "expiresAt", message: "A key's expiry can only be moved earlier" }]);
    }
    if (expiresAtMs !== before.expiresAtMs) refusePast(expiresAtMs, ctx.clock.now());
    await keys.update(id, { name, allowFrom: [...new Set(allowFrom)], expiresAtMs });
    if (expiresAtMs !== null) await sessions.endOfKeyAt(id, expiresAtMs);
    await refreshTokens(ctx, before, { sessions, put, end });
  });
  return presentKey(found(await ctx.store.keys.find(id)));
}

/** The key's secrets stop working before this resolves. @throws AppError `not_found`, `forbidden` */
export async function deleteKey(ctx: Context, { id }: { id: number }): Promise<void> {
  await changeKey(ctx, id, "delete", async (_, { keys, sessions, end }) => {
    await end(await sessions.deleteOfKey(id));
    await keys.delete(id);
  });
}

/** The previous secret keeps working for `overlapMinutes`. @throws AppError `not_found`, `forbidden` */
export async function rotateKey(
  ctx: Context,
  { id, overlapMinutes }: { id: number; overlapMinutes: number },
): Promise<NewSecret> {
  const secret = newKeyToken();
  await changeKey(ctx, id, "rotate", async (key, { keys, sessions, put, end }) => {
    const expiresAtMs = key.expiresAtMs ?? neverMs;
    // End secrets of earlier rotations now: a key has at most two.
    await end(await sessions.deleteOfKey(id, overlapMinutes === 0 ? undefined : expiresAtMs));
    await sessions.endOfKeyAt(id, ctx.clock.now() + overlapMinutes * 60_000);
    await sessions.insertOfKey({ tokenHash: hashToken(secret), userId: key.userId, keyId: id, expiresAtMs });
    await keys.update(id, { prefix: prefixOf(secret) });
    await refreshTokens(ctx, key, { sessions, put, end });
  });
  return { key: presentKey(found(await ctx.store.keys.find(id))), secret };
}

export async function markKeysUsed(
  ctx: Context,
  { uses }: { uses: readonly { id: number; atMs: number; address: string }[] },
): Promise<void> {
  for (const { id, atMs, address } of uses) await ctx.store.keys.markUsed(id, atMs, address);
}

type Change = Parameters<Parameters<typeof changeSessions>[1]>[0];

/** Locks the owner's row. Users may change their own keys, admins all. */
async function changeKey(
  ctx: Context,
  id: number,
  action: "update" | "delete" | "rotate",
  run: (key: StoredKey, change: Change) => Promise<void>,
): Promise<void> {
  const { userId } = found(await ctx.store.keys.find(id));
  const actor = requireActor(ctx);
  // Not `forbidden`, which would reveal that the key exists.
  if (actor.id !== userId && actor.role !== "admin") throw noKey();
  await changeSessions(ctx, async (change) => {
    await change.users.lock(userId);
    const before = found(await change.keys.find(id));
    await run(before, change);
    await recordKey(change, action, before, id);
  });
  ctx.log.info({ keyId: id, actorId: actor.id }, "API key changed");
}

/** Omits the last use, which gateways report. */
async function recordKey(
  { keys, audit }: Pick<Change, "keys" | "audit">,
  action: "create" | "update" | "delete" | "rotate",
  before: StoredKey | null,
  id: number,
): Promise<void> {
  const after = (await keys.find(id)) ?? null;
  const shown = (key: StoredKey | null) => {
    if (key === null) return null;
    const { lastUsedAt: _at, lastUsedFrom: _from, ...definition } = presentKey(key);
    return definition;
  };
  const { name } = found(after ?? before ?? undefined);
  await record({ audit }, { action, target: { type: "key", id, name }, before: shown(before), after: shown(after) });
}

async function refreshTokens(
  ctx: Context,
  { userId, id }: StoredKey,
  { sessions, put, end }: Pick<Change, "sessions" | "put" | "end">,
) {
  const nowMs = ctx.clock.now();
  // A token may have just expired, while gateways still have its later, previous expiry.
  await end(await sessions.deleteExpired(userId, nowMs));
  const living = await sessions.ofUser(userId, nowMs);
  await Promise.all(living.filter(({ key }) => key?.id === id).map(put));
}

const noKey = () => new AppError("not_found", "API key does not exist");
const noAccount = () => invalid([{ path: "accountId", message: "Service account does not exist" }]);

function found(key: StoredKey | undefined): StoredKey {
  if (key === undefined) throw noKey();
  return key;
}

function presentKey(key: StoredKey): ApiKey {
  const { id, name, prefix, scopes, allowFrom, userId, username, createdBy } = key;
  const instant = (ms: number | null) => (ms === null ? undefined : new Date(ms).toISOString());
  return {
    id,
    name,
    prefix,
    scopes,
    allowFrom,
    owner: { id: userId, username },
    createdAt: instant(key.createdAtMs)!,
    createdBy,
    expiresAt: instant(key.expiresAtMs),
    lastUsedAt: instant(key.lastUsedAtMs),
    lastUsedFrom: key.lastUsedFrom ?? undefined,
  };
}
