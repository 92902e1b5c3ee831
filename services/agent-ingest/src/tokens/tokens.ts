import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import type { Call, Client } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import type { createTokenInput, OpenToken } from "@sonde/proto/http/agents/agents";
import type { authContract } from "@sonde/proto/rpc/auth";
import type { z } from "zod";
import { findAgent } from "../agents/store.ts";
import type { Context, Creators } from "../context.ts";
import { newSecret, secretHash } from "../keys/store.ts";
import { deleteOpenToken, deleteTokensOf, insertToken, type OpenTokenRow, openTokens, type TokenRow } from "./store.ts";

const hourMs = 3_600_000;

/**
 * Creates a token that registers one agent, while its creator has the permission. It is returned only once.
 * @throws AppError not_found
 */
export async function createToken(
  { db, clock }: Pick<Context, "db" | "clock">,
  { name, expiresInHours, agentId }: z.infer<typeof createTokenInput>,
  { actor: creator }: Pick<Call, "actor">,
): Promise<{ token: string; expiresAt: string }> {
  const token = newSecret();
  const nowMs = clock.now();
  const expiresAtMs = Math.round(nowMs + expiresInHours * hourMs);
  if (agentId !== undefined) await findAgent(db, agentId);
  await db.transaction(async (trx) => {
    const row = await insertToken(trx, {
      hash: secretHash(token),
      name: name ?? null,
      agentId: agentId ?? null,
      createdBy: creator?.id ?? null,
      createdByName: creator?.username ?? null,
      createdAtMs: nowMs,
      expiresAtMs,
    });
    await recordToken(trx, "create", row);
  });
  return { token, expiresAt: new Date(expiresAtMs).toISOString() };
}

async function recordToken(trx: Database, action: "create" | "delete", row: TokenRow): Promise<void> {
  const shown = { agentId: row.agentId, expiresAt: new Date(row.expiresAtMs).toISOString() };
  await record(trx, "agent-ingest", {
    action,
    target: { type: "agent-token", id: row.id, name: row.name ?? "" },
    before: action === "delete" ? shown : null,
    after: action === "create" ? shown : null,
  });
}

const maxTokens = 200;

/** Newest first, without their text. Deletes tokens whose creator was deleted. */
export async function listTokens({
  db,
  clock,
  creators,
}: Pick<Context, "db" | "clock" | "creators">): Promise<{ tokens: OpenToken[]; total: number }> {
  const read = () => openTokens(db, clock.now(), maxTokens);
  const { rows, total } = await read();
  const gone = await creators.gone(rows.flatMap(({ createdBy }) => createdBy ?? [])).catch(ignoreUnavailable);
  if (gone.size === 0) return { tokens: rows.map(present), total };
  await deleteTokensOf(db, [...gone]);
  // Read again: deleted tokens may have been beyond the newest.
  const left = await read();
  return { tokens: left.rows.map(present), total: left.total };
}

/** While users cannot be checked the list is unfiltered; an invalid token still cannot be used. */
function ignoreUnavailable(error: unknown): Set<number> {
  if (error instanceof AppError && error.code === "unavailable") return new Set();
  throw error;
}

const present = (row: OpenTokenRow): OpenToken => ({
  id: row.id,
  ...(row.name === null ? {} : { name: row.name }),
  ...(row.agentId === null ? {} : { agent: { id: row.agentId, name: row.agentName ?? "" } }),
  ...(row.createdByName === null ? {} : { createdBy: row.createdByName }),
  createdAt: new Date(row.createdAtMs).toISOString(),
  expiresAt: new Date(row.expiresAtMs).toISOString(),
});

/** @throws AppError not_found */
export async function revokeToken(
  { db, clock }: Pick<Context, "db" | "clock">,
  { id }: { id: number },
): Promise<Record<string, never>> {
  return db.transaction(async (trx) => {
    const ended = await deleteOpenToken(trx, id, clock.now());
    if (ended === null)
      throw new AppError("not_found", "The registration token does not exist, has expired or was already used");
    await recordToken(trx, "delete", ended);
    return {};
  });
}

export async function revokeTokensOf(
  { db }: Pick<Context, "db">,
  { userId }: { userId: number },
): Promise<Record<string, never>> {
  return db.transaction(async (trx) => {
    for (const ended of await deleteTokensOf(trx, [userId])) await recordToken(trx, "delete", ended);
    return {};
  });
}

export function askCreators(auth: Pick<Client<typeof authContract>, "getUser">): Creators {
  const isGone = async (id: number): Promise<boolean> => {
    try {
      // Every user may read their own account; the name is irrelevant here.
      const call = { actor: { id, username: "", role: "user" as const } };
      const { role, status } = await auth.getUser({ id }, { call });
      return status !== "active" || role === "viewer";
    } catch (error) {
      if (error instanceof AppError && error.code === "not_found") return true;
      throw error;
    }
  };
  return {
    async gone(userIds) {
      const ids = [...new Set(userIds)];
      const states = await Promise.all(ids.map(isGone));
      return new Set(ids.filter((_, index) => states[index]));
    },
  };
}
