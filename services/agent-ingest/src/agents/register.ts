import { AppError } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { plainLine } from "@sonde/proto/http/text";
import { newSecret, secretHash } from "../keys/secret.ts";
import { insertKey, revokeKeys } from "../keys/store.ts";
import { consumeToken, deleteTokensOf, findToken, type TokenRow } from "../tokens/store.ts";
import type { RegisteredHost, StoredAgent } from "./agent.ts";
import { publishChange, publishKeys } from "./change.ts";
import { clearDuplicateKey, insertAgent, lockAgent, updateAgent } from "./store.ts";

export type Registration = Omit<RegisteredHost, "name"> & { token: string; name?: string | undefined };

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
  const { agentId, revoked } = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const used = await consumeToken(trx, secretHash(token), nowMs);
      if (used === null) throw await refusal(trx, token, nowMs);
      const old = used.agent_id === null ? [] : await revokeKeys(trx, used.agent_id, nowMs);
      const agent = await writeAgent(trx, used, given, nowMs);
      await insertKey(trx, secretHash(key), agent.id, nowMs);
      await publishKeys(trx, [...old, secretHash(key)]);
      return { agentId: agent.id, revoked: old };
    }),
  );
  ctx.keys.revoke(revoked);
  await ctx.published(agentId);
  return { agentId, key };
}

/** A token is invalid once its creator is deleted. Checked before anything is locked, since another service answers. */
async function refuseOrphan({ db, creators }: Pick<Context, "db" | "creators">, token: string): Promise<void> {
  const known = await orUnavailable(() => findToken(db, secretHash(token)));
  if (known?.created_by == null || known.used_at_ms !== null) return;
  const gone = await creators.gone([known.created_by]);
  if (gone.size === 0) return;
  await orUnavailable(() => deleteTokensOf(db, [...gone]));
  throw new AppError("unauthenticated", "The registration token is not valid");
}

async function writeAgent(
  trx: Database,
  { agent_id: agentId, name: tokenName }: TokenRow,
  { name, ...said }: Omit<Registration, "token">,
  nowMs: number,
): Promise<StoredAgent> {
  if (agentId === null) {
    // What a person typed when they made the token is what they look for.
    const agent = await insertAgent(trx, { ...said, name: tokenName ?? name ?? nameOfHost(said.hostname) }, nowMs);
    await publishChange(trx, agent, "registered", "", nowMs);
    return agent;
  }
  const before = await lockAgent(trx, agentId);
  await clearDuplicateKey(trx, agentId);
  const agent = await updateAgent(trx, agentId, { ...said, name: tokenName ?? undefined }, nowMs);
  await publishChange(trx, agent, "registered", before.status, nowMs);
  return agent;
}

/** A hostname as a name that people read: without what could make it look like another. */
function nameOfHost(hostname: string): string {
  return plainLine(hostname).trim().slice(0, 100).toWellFormed() || "agent";
}

async function refusal(trx: Database, token: string, nowMs: number): Promise<AppError> {
  const known = await findToken(trx, secretHash(token));
  if (known === null) return new AppError("unauthenticated", "The registration token is not valid");
  if (known.used_at_ms !== null) {
    return new AppError("unauthenticated", "The registration token was used already");
  }
  if (known.expires_at_ms <= nowMs) return new AppError("unauthenticated", "The registration token has expired");
  return new AppError("unauthenticated", "The registration token is not valid");
}
