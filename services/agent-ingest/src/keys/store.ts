import type { Database } from "@sonde/kit/postgres/database";

export type KeyRow = { hash: string; agent_id: number; revision: number; revoked_at_ms: number | null };

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertKey(trx: Database, hash: string, agentId: number, atMs: number): Promise<void> {
  await trx("keys").insert({ hash, agent_id: agentId, revision: nextRevision(trx), created_at_ms: atMs });
}

/** Which agent has this key and how often it reports; undefined where the key was revoked or never given. */
export async function findKey(
  db: Database,
  hash: string,
): Promise<{ agentId: number; intervalSeconds: number } | undefined> {
  const row = await db<KeyRow>("keys")
    .join("agents", "agents.id", "keys.agent_id")
    .where({ hash })
    .whereNull("revoked_at_ms")
    .first<{ agent_id: number; interval_ms: number } | undefined>("keys.agent_id", "agents.interval_ms");
  return row === undefined ? undefined : { agentId: row.agent_id, intervalSeconds: row.interval_ms / 1000 };
}

/** Revokes every key of an agent; answers their hashes. */
export async function revokeKeys(trx: Database, agentId: number, atMs: number): Promise<string[]> {
  const rows = await trx<KeyRow>("keys")
    .where({ agent_id: agentId })
    .whereNull("revoked_at_ms")
    .update({ revoked_at_ms: atMs, revision: nextRevision(trx) })
    .returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

/** Deletes keys that were revoked long enough ago, and returns their hashes. */
export async function purgeKeys(trx: Database, beforeMs: number): Promise<string[]> {
  const rows = await trx("keys").where("revoked_at_ms", "<", beforeMs).delete().returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

export async function keysOfAgents(db: Database, agentIds: readonly number[]): Promise<string[]> {
  return db<KeyRow>("keys")
    .whereRaw("agent_id = any(?)", [[...agentIds]])
    .pluck<string[]>("hash");
}

/** When the newest of an agent's keys that hold was made; null where none holds. */
export async function newestKeyAtMs(db: Database, agentId: number): Promise<number | null> {
  const row = await db("keys")
    .where({ agent_id: agentId })
    .whereNull("revoked_at_ms")
    .max<{ max: number | null }>("created_at_ms as max")
    .first();
  return row?.max ?? null;
}
