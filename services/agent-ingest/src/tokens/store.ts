import type { Database } from "@sonde/kit/postgres/database";
import { maxId } from "@sonde/proto/http/envelope";

export type TokenRow = {
  id: number;
  hash: string;
  name: string | null;
  agentId: number | null;
  /** A user's id and name; null of tokens that were made before it was kept. */
  createdBy: number | null;
  createdByName: string | null;
  createdAtMs: number;
  expiresAtMs: number;
  usedAtMs: number | null;
};

export async function insertToken(trx: Database, token: Omit<TokenRow, "id" | "usedAtMs">): Promise<TokenRow> {
  const [row] = await trx("tokens").insert(token).returning<TokenRow[]>("*");
  return row!;
}

/** Uses a token up, once under concurrent calls; null if it cannot be used. */
export async function consumeToken(trx: Database, hash: string, nowMs: number): Promise<TokenRow | null> {
  const [row] = await trx<TokenRow>("tokens")
    .where({ hash })
    .whereNull("usedAtMs")
    .where("expiresAtMs", ">", nowMs)
    .update({ usedAtMs: nowMs })
    .returning("*");
  return row ?? null;
}

export async function findToken(db: Database, hash: string): Promise<TokenRow | null> {
  return (await db<TokenRow>("tokens").where({ hash }).first()) ?? null;
}

/** Deletes tokens that ended long ago. */
export async function purgeTokens(trx: Database, beforeMs: number): Promise<void> {
  await trx("tokens").where("expiresAtMs", "<", beforeMs).delete();
}

const open = (db: Database, nowMs: number) =>
  db<TokenRow>("tokens").whereNull("usedAtMs").where("expiresAtMs", ">", nowMs);

export type OpenTokenRow = TokenRow & { agentName: string | null };

/** The newest of those that may still be used, and how many there are in all. */
export async function openTokens(
  db: Database,
  nowMs: number,
  max: number,
): Promise<{ rows: OpenTokenRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    open(db, nowMs)
      .leftJoin("agents", "agents.id", "tokens.agentId")
      .select<OpenTokenRow[]>("tokens.*", "agents.name as agentName")
      .orderBy("tokens.id", "desc")
      .limit(max),
    open(db, nowMs).count<{ count: number }[]>("* as count").first(),
  ]);
  return { rows, total: counted?.count ?? 0 };
}

/** Null if there is no such token that may still be used. */
export async function deleteOpenToken(trx: Database, id: number, nowMs: number): Promise<TokenRow | null> {
  if (id > maxId) return null;
  const [row] = await open(trx, nowMs).where({ id }).delete().returning("*");
  return row ?? null;
}

/** Deletes the unused tokens of these users, expired ones too. */
export function deleteTokensOf(db: Database, userIds: readonly number[]): Promise<TokenRow[]> {
  return db<TokenRow>("tokens")
    .whereNull("usedAtMs")
    .whereRaw("created_by = any(?)", [[...userIds]])
    .delete()
    .returning("*");
}
