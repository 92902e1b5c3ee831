import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import { AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import { hash as hashOf, randomBytes } from "node:crypto";

/** 256 random bits, base64url. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Hex SHA-256. For 256 random bits a plain hash is enough. */
export const secretHash = (secret: string): string => hashOf("sha256", secret, "hex");

type KeyRow = { hash: string; agentId: number; revision: number; revokedAtMs: number | null };

const nextRevision = (db: Database) => db.raw("nextval('revisions')");

export async function insertKey(trx: Database, hash: string, agentId: number, atMs: number): Promise<void> {
  await trx("keys").insert({ hash, agentId, revision: nextRevision(trx), createdAtMs: atMs });
}

/** `undefined` if the key was revoked or never existed. */
export async function findKey(
  db: Database,
  hash: string,
): Promise<{ agentId: number; intervalSeconds: number } | undefined> {
  const row = await db<KeyRow>("keys")
    .join("agents", "agents.id", "keys.agentId")
    .where({ hash })
    .whereNull("revokedAtMs")
    .first<{ agentId: number; intervalMs: number } | undefined>("keys.agentId", "agents.intervalMs");
  return row && { agentId: row.agentId, intervalSeconds: row.intervalMs / 1000 };
}

/** Returns the hashes. */
export async function revokeKeys(trx: Database, agentId: number, atMs: number): Promise<string[]> {
  const rows = await trx<KeyRow>("keys")
    .where({ agentId })
    .whereNull("revokedAtMs")
    .update({ revokedAtMs: atMs, revision: nextRevision(trx) })
    .returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

/** Returns the hashes. */
export async function purgeKeys(trx: Database, beforeMs: number): Promise<string[]> {
  const rows = await trx("keys").where("revokedAtMs", "<", beforeMs).delete().returning<{ hash: string }[]>("hash");
  return rows.map(({ hash }) => hash);
}

export async function keysOfAgents(db: Database, agentIds: readonly number[]): Promise<string[]> {
  return db<KeyRow>("keys")
    .whereRaw("agent_id = any(?)", [[...agentIds]])
    .pluck<string[]>("hash");
}

/** When the newest valid key was created; `null` without one. */
export async function newestKeyAtMs(db: Database, agentId: number): Promise<number | null> {
  const row = await db("keys")
    .where({ agentId })
    .whereNull("revokedAtMs")
    .max<{ max: number | null }>("createdAtMs as max")
    .first();
  return row?.max ?? null;
}

type ProjectedRow = KeyRow & { intervalMs: number; deletedAtMs: number | null };

/** Bucket `agents`. A revoked key has a tombstone as long as its row exists. */
export function keyProjections(db: Database): Record<"agents", Projection> {
  return {
    [buckets.agents]: {
      read: async (hashes) => {
        const rows = await db<ProjectedRow>("keys")
          .join("agents", "agents.id", "keys.agentId")
          .whereRaw("keys.hash = any(?)", [[...hashes]])
          .select<ProjectedRow[]>("keys.*", "agents.intervalMs", "agents.deletedAtMs");
        return new Map(rows.map((row) => [row.hash, { revision: row.revision, value: encode(row) }]));
      },
      revisionOf: (value) => fromBinary(AgentKeySchema, value).revision,
      keys: async () => {
        const rows = await db<KeyRow>("keys").select("hash", "revision");
        return rows.map(({ hash, revision }) => ({ key: hash, revision }));
      },
    },
  };
}

function encode(row: ProjectedRow): Uint8Array {
  const key = {
    agentId: row.agentId,
    revision: row.revision,
    deleted: row.revokedAtMs !== null,
    intervalSeconds: row.intervalMs / 1000,
    agentDeleted: row.deletedAtMs !== null,
  };
  return toBinary(AgentKeySchema, create(AgentKeySchema, key));
}
