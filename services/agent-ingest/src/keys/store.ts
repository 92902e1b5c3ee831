import type { Database } from "@sonde/kit/postgres";

export type KeyRow = { hash: string; agent_id: number; revision: number; revoked_at_ms: number | null };

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertKey(trx: Database, hash: string, agentId: number, atMs: number): Promise<void> {
  await trx("keys").insert({ hash, agent_id: agentId, revision: nextRevision(trx), created_at_ms: atMs });
}

/** Revokes every key of an agent; answers their hashes. */
export async function revokeKeys(trx: Database, agentId: number, atMs: number): Promise<string[]> {
  const rows = await trx<KeyRow>("keys")
    .where({ agent_id: agentId })
    .whereNull("revoked_at_ms")
    .update({ revoked_at_ms: atMs, revision: nextRevision(trx) } as never)
    .returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

/** Hashes of keys that were revoked long enough ago; they are gone now. */
export async function purgeKeys(trx: Database, beforeMs: number): Promise<string[]> {
  const rows = await trx("keys").where("revoked_at_ms", "<", beforeMs).delete().returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

export async function keysOfAgents(db: Database, agentIds: readonly number[]): Promise<string[]> {
  return db<KeyRow>("keys")
    .whereRaw("agent_id = any(?)", [[...agentIds]])
    .pluck<string[]>("hash");
}
