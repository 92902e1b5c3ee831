import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Database } from "@sonde/kit/postgres/database";
import { AgentKeySchema } from "@sonde/proto/gen/agents/v1/agents";
import { buckets } from "@sonde/proto/streams";
import type { KeyRow } from "./store.ts";

type ProjectedRow = KeyRow & { interval_ms: number; deleted_at_ms: number | null };

/** KV `agents`: who may report. A revoked key stays a tombstone as long as its row does. */
export function keyProjections(db: Database): Record<"agents", Projection> {
  return {
    [buckets.agents]: {
      read: async (hashes) => {
        const rows = await db<ProjectedRow>("keys")
          .join("agents", "agents.id", "keys.agent_id")
          .whereRaw("keys.hash = any(?)", [[...hashes]])
          .select<ProjectedRow[]>("keys.*", "agents.interval_ms", "agents.deleted_at_ms");
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
    agentId: row.agent_id,
    revision: row.revision,
    deleted: row.revoked_at_ms !== null,
    intervalSeconds: row.interval_ms / 1000,
    agentDeleted: row.deleted_at_ms !== null,
  };
  return toBinary(AgentKeySchema, create(AgentKeySchema, key));
}
