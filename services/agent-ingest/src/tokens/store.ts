import type { Database } from "@sonde/kit/postgres/database";

// PostgreSQL's largest integer; a greater id is not found rather than a fault.
const maxId = 2_147_483_647;

export type TokenRow = {
  id: number;
  hash: string;
  name: string | null;
  agent_id: number | null;
  /** A user's id and name; null of tokens that were made before it was kept. */
  created_by: number | null;
  created_by_name: string | null;
  created_at_ms: number;
  expires_at_ms: number;
  used_at_ms: number | null;
};

export async function insertToken(trx: Database, token: Omit<TokenRow, "id" | "used_at_ms">): Promise<void> {
  await trx("tokens").insert(token);
}

/** Uses a token up, once under concurrent calls; null if it cannot be used. */
export async function consumeToken(trx: Database, hash: string, nowMs: number): Promise<TokenRow | null> {
  const [row] = await trx<TokenRow>("tokens")
    .where({ hash })
    .whereNull("used_at_ms")
    .where("expires_at_ms", ">", nowMs)
    .update({ used_at_ms: nowMs })
    .returning("*");
  return row ?? null;
}

export async function findToken(db: Database, hash: string): Promise<TokenRow | null> {
  return (await db<TokenRow>("tokens").where({ hash }).first()) ?? null;
}

/** Deletes tokens that ended long ago. */
export async function purgeTokens(trx: Database, beforeMs: number): Promise<void> {
  await trx("tokens").where("expires_at_ms", "<", beforeMs).delete();
}

const open = (db: Database, nowMs: number) =>
  db<TokenRow>("tokens").whereNull("used_at_ms").where("expires_at_ms", ">", nowMs);

export type OpenTokenRow = TokenRow & { agent_name: string | null };

/** The newest of those that may still be used, and how many there are in all. */
export async function openTokens(
  db: Database,
  nowMs: number,
  most: number,
): Promise<{ rows: OpenTokenRow[]; total: number }> {
  const [rows, counted] = await Promise.all([
    open(db, nowMs)
      .leftJoin("agents", "agents.id", "tokens.agent_id")
      .select<OpenTokenRow[]>("tokens.*", "agents.name as agent_name")
      .orderBy("tokens.id", "desc")
      .limit(most),
    open(db, nowMs).count<{ count: number }[]>("* as count").first(),
  ]);
  return { rows, total: counted?.count ?? 0 };
}

/** False if there is no such token that may still be used. */
export async function deleteOpenToken(db: Database, id: number, nowMs: number): Promise<boolean> {
  return id <= maxId && (await open(db, nowMs).where({ id }).delete()) > 0;
}

/** Deletes the unused tokens of these users, expired ones too. */
export async function deleteTokensOf(db: Database, userIds: readonly number[]): Promise<void> {
  await db<TokenRow>("tokens")
    .whereNull("used_at_ms")
    .whereRaw("created_by = any(?)", [[...userIds]])
    .delete();
}
