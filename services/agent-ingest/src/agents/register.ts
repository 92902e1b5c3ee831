import { AppError } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import { enqueueEvent } from "@sonde/kit/postgres/outbox";
import type { HostFacts } from "@sonde/proto/http/agents/agents";
import { plainLine } from "@sonde/proto/http/text";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { insertKey, newSecret, revokeKeys, secretHash } from "../keys/store.ts";
import { consumeToken, deleteTokensOf, findToken, type TokenRow } from "../tokens/store.ts";
import {
  createAgentEvent,
  findAgent,
  insertAgent,
  lockAgent,
  publishKeys,
  type RegisteredHost,
  type StoredAgent,
  updateAgent,
} from "./store.ts";

type Registration = Omit<RegisteredHost, "name"> & { token: string; name?: string | undefined };

/**
 * Exchanges a token for an agent id and its key, which is returned only once. A token for an existing agent registers
 * it again and revokes its old keys.
 * @throws AppError `unauthenticated`, also if the token's creator was deleted; `unavailable` while that cannot be
 * checked
 */
export async function registerAgent(
  ctx: Pick<Context, "db" | "clock" | "published" | "keys" | "creators">,
  { token, ...given }: Registration,
): Promise<{ agentId: number; key: string }> {
  const nowMs = ctx.clock.now();
  const key = newSecret();
  await refuseOrphan(ctx, token);
  const { agentId, revoked } = await ctx.db.transaction(async (trx) => {
    const used = await consumeToken(trx, secretHash(token), nowMs);
    if (used === null) throw await refusal(trx, token, nowMs);
    const old = used.agentId === null ? [] : await revokeKeys(trx, used.agentId, nowMs);
    const agent = await writeAgent(trx, used, given, nowMs);
    await insertKey(trx, secretHash(key), agent.id, nowMs);
    await publishKeys(trx, [...old, secretHash(key)]);
    return { agentId: agent.id, revoked: old };
  });
  ctx.keys.revoke(revoked);
  await ctx.published(agentId);
  return { agentId, key };
}

/**
 * A token becomes invalid when its creator is deleted. Checked before anything is locked, because it calls another
 * service.
 */
async function refuseOrphan({ db, creators }: Pick<Context, "db" | "creators">, token: string): Promise<void> {
  const stored = await findToken(db, secretHash(token));
  if (stored?.createdBy == null || stored.usedAtMs !== null) return;
  const gone = await creators.gone([stored.createdBy]);
  if (gone.size === 0) return;
  await deleteTokensOf(db, [...gone]);
  throw new AppError("unauthenticated", "The registration token is not valid");
}

async function writeAgent(
  trx: Database,
  { agentId, name: tokenName }: TokenRow,
  { name, ...host }: Omit<Registration, "token">,
  nowMs: number,
): Promise<StoredAgent> {
  if (agentId === null) {
    // A name that the user entered for the token takes precedence.
    const agent = await insertAgent(trx, { ...host, name: tokenName ?? name ?? nameOfHost(host.hostname) }, nowMs);
    await enqueueEvent(trx, createAgentEvent(agent, "registered", "", nowMs));
    return agent;
  }
  const before = await lockAgent(trx, agentId);
  // Both machines that shared the old key are rejected from now on.
  const changes = { ...host, name: tokenName ?? undefined, duplicateKeyAtMs: null };
  const agent = await updateAgent(trx, agentId, changes, nowMs);
  await enqueueEvent(trx, createAgentEvent(agent, "registered", before.status, nowMs));
  return agent;
}

/** Removes characters that could make a hostname look like another. */
function nameOfHost(hostname: string): string {
  return plainLine(hostname).trim().slice(0, 100).toWellFormed() || "agent";
}

async function refusal(trx: Database, token: string, nowMs: number): Promise<AppError> {
  const stored = await findToken(trx, secretHash(token));
  if (stored !== null && stored.usedAtMs !== null) {
    return new AppError("unauthenticated", "The registration token has already been used");
  }
  if (stored !== null && stored.expiresAtMs <= nowMs) {
    return new AppError("unauthenticated", "The registration token has expired");
  }
  return new AppError("unauthenticated", "The registration token is not valid");
}

/** Stores changed facts of a host. Returns false if the database is unavailable: the agent must send them again. */
export async function describeHost(
  { db, clock }: Pick<Context, "db" | "clock">,
  agentId: number,
  host: HostFacts,
): Promise<boolean> {
  try {
    await orUnavailable(async () => {
      const { hostname, ipAddresses, os, version } = await findAgent(db, agentId);
      if (isDeepStrictEqual({ hostname, ipAddresses, os, version }, host)) return;
      await db.transaction(async (trx) => {
        const nowMs = clock.now();
        const agent = await updateAgent(trx, agentId, host, nowMs);
        await enqueueEvent(trx, createAgentEvent(agent, "updated", agent.status, nowMs));
      });
    });
  } catch (error) {
    // Facts of an agent that was just deleted are dropped.
    if (error instanceof AppError) return error.code === "not_found";
    throw error;
  }
  return true;
}
