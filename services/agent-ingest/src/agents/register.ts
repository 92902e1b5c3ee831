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
 * Exchanges a token for an agent id and its key, which is returned only this once. A token for an existing agent
 * registers it again, and its old keys are refused from now on.
 * @throws AppError `unauthenticated`, also if the token's creator was deleted; `unavailable` while that is not known
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

/** A token is invalid once its creator is deleted. Checked before anything is locked, since another service answers. */
async function refuseOrphan({ db, creators }: Pick<Context, "db" | "creators">, token: string): Promise<void> {
  const known = await findToken(db, secretHash(token));
  if (known?.createdBy == null || known.usedAtMs !== null) return;
  const gone = await creators.gone([known.createdBy]);
  if (gone.size === 0) return;
  await deleteTokensOf(db, [...gone]);
  throw new AppError("unauthenticated", "The registration token is not valid");
}

async function writeAgent(
  trx: Database,
  { agentId, name: tokenName }: TokenRow,
  { name, ...said }: Omit<Registration, "token">,
  nowMs: number,
): Promise<StoredAgent> {
  if (agentId === null) {
    // What a person typed when they made the token is what they look for.
    const agent = await insertAgent(trx, { ...said, name: tokenName ?? name ?? nameOfHost(said.hostname) }, nowMs);
    await enqueueEvent(trx, createAgentEvent(agent, "registered", "", nowMs));
    return agent;
  }
  const before = await lockAgent(trx, agentId);
  // Its old key is refused from now on, also from the other machine that used it.
  const host = { ...said, name: tokenName ?? undefined, duplicateKeyAtMs: null };
  const agent = await updateAgent(trx, agentId, host, nowMs);
  await enqueueEvent(trx, createAgentEvent(agent, "registered", before.status, nowMs));
  return agent;
}

/** A hostname as a name that people read: without what could make it look like another. */
function nameOfHost(hostname: string): string {
  return plainLine(hostname).trim().slice(0, 100).toWellFormed() || "agent";
}

async function refusal(trx: Database, token: string, nowMs: number): Promise<AppError> {
  const known = await findToken(trx, secretHash(token));
  if (known !== null && known.usedAtMs !== null) {
    return new AppError("unauthenticated", "The registration token has already been used");
  }
  if (known !== null && known.expiresAtMs <= nowMs) {
    return new AppError("unauthenticated", "The registration token has expired");
  }
  return new AppError("unauthenticated", "The registration token is not valid");
}

/**
 * Stores a host's facts after an upgrade, a renaming or a move. Writes only changes. Returns false if the database is
 * unavailable: the agent is to send them again.
 */
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
    // Of an agent that was just deleted there is nothing to keep.
    if (error instanceof AppError) return error.code === "not_found";
    throw error;
  }
  return true;
}
