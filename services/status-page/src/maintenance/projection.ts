import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Clock } from "@sonde/kit/time/clock";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets } from "@sonde/proto/streams";
import { type Occurrence, occurrencesOf } from "./store.ts";
import { dayMs } from "./schedule.ts";

/** History reaches no further back. */
export const historyDepthMs = 400 * dayMs;
/** A message of the bus holds 1 MiB. */
const mostBytes = 900 * 1024;

type Row = { id: number; revision: number; deletedAtMs: number | null };

/** KV `maintenance`: the covered spans, one key a window; of a deleted one its past spans. */
export function maintenanceProjections(db: Database, clock: Clock): Record<"maintenance", Projection> {
  const columns = ["id", "revision", "deletedAtMs"] as const;
  return {
    [buckets.maintenance]: {
      read: async (keys) => {
        const ids = keys.map(Number);
        const rows = await db<Row>("windows")
          .whereRaw("id = any(?)", [ids])
          .select(...columns);
        const found = await occurrencesOf(db, ids, clock.now() - historyDepthMs);
        const occurrences = Map.groupBy(found, ({ windowId }) => windowId);
        const value = (row: Row) => encode(row, occurrences.get(row.id) ?? []);
        return new Map(rows.map((row) => [String(row.id), { revision: row.revision, value: value(row) }]));
      },
      revisionOf: (value) => fromBinary(MaintenanceWindowSchema, value).revision,
      keys: async () => {
        const rows = await db<Row>("windows").select(...columns);
        return rows.map(({ id, revision }) => ({ key: String(id), revision }));
      },
    },
  };
}

/** A value too large for a message could not be published at all, so the oldest are left out. */
function encode(row: Row, occurrences: readonly Occurrence[]): Uint8Array {
  const window = { id: row.id, revision: row.revision, deleted: row.deletedAtMs !== null };
  for (let kept = occurrences; ; kept = kept.slice(Math.ceil(kept.length / 8))) {
    const bytes = toBinary(
      MaintenanceWindowSchema,
      create(MaintenanceWindowSchema, { ...window, occurrences: [...kept] }),
    );
    if (bytes.length <= mostBytes || kept.length === 0) return bytes;
  }
}
