import type { Database } from "@sonde/kit/postgres/database";
import { maxId } from "@sonde/proto/http/envelope";

export type TokenRow = {
  id: number;
  hash: string;
  name: string | null;
  agentId: number | null;
  /** `null` for tokens from before it was stored. */
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

/** Succeeds once under concurrent calls; `null` if the token cannot be used. */
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

export async function purgeTokens(trx: Database, beforeMs: number): Promise<void> {
  await trx("tokens").where("expiresAtMs", "<", beforeMs).delete();
}

const open = (db: Database, nowMs: number) =>
  db<TokenRow>("tokens").whereNull("usedAtMs").where("expiresAtMs", ">", nowMs);

export type OpenTokenRow = TokenRow & { agentName: string | null };

/** Newest first; `total` counts all. */
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

/** `null` if the token does not exist or cannot be used any more. */
export async function deleteOpenToken(trx: Database, id: number, nowMs: number): Promise<TokenRow | null> {
  if (id > maxId) return null;
  const [row] = await open(trx, nowMs).where({ id }).delete().returning("*");
  return row ?? null;
}

/** Also deletes expired ones. */
export function deleteTokensOf(db: Database, userIds: readonly number[]): Promise<TokenRow[]> {
  return db<TokenRow>("tokens")
    .whereNull("usedAtMs")
    .whereRaw("created_by = any(?)", [[...userIds]])
    .delete()
    .returning("*");
}
