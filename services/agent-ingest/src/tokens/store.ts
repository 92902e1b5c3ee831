import type { Database } from "@sonde/kit/postgres";

export type TokenRow = {
  hash: string;
  name: string | null;
  agent_id: number | null;
  created_at_ms: number;
  expires_at_ms: number;
  used_at_ms: number | null;
};

export async function insertToken(trx: Database, token: Omit<TokenRow, "used_at_ms">): Promise<void> {
  await trx("tokens").insert(token);
}

/** Uses a token up, once whoever asks at the same time; null where it cannot be. */
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

/** Tokens that ended long ago are nobody's question any more. */
export async function purgeTokens(trx: Database, beforeMs: number): Promise<void> {
  await trx("tokens").where("expires_at_ms", "<", beforeMs).delete();
}
