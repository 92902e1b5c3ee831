import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Clock } from "@sonde/kit/time/clock";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets } from "@sonde/proto/streams";
import { type Occurrence, occurrencesOf, type WindowTargets } from "./store.ts";
import { dayMs } from "./schedule.ts";

/** History reaches no further back. */
export const historyDepthMs = 400 * dayMs;
/** A message of the bus holds 1 MiB. */
const maxBytes = 900 * 1024;

type Row = WindowTargets & {
  id: number;
  revision: number;
  deletedAtMs: number | null;
  isSilence: boolean;
  startMs: number;
  endMs: number;
};

/** KV `maintenance`: the covered spans, one key a window; of a deleted one its past spans. A silence has one of its own. */
export function maintenanceProjections(db: Database, clock: Clock): Record<"maintenance", Projection> {
  const columns = ["id", "revision", "deletedAtMs", "isSilence", "startMs", "endMs", "monitorIds", "agentIds"] as const;
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
        const rows = await db<Row>("windows").select("id", "revision");
        return rows.map(({ id, revision }) => ({ key: String(id), revision }));
      },
    },
  };
}

/** A value too large for a message could not be published at all, so the oldest are left out. */
function encode(row: Row, occurrences: readonly Occurrence[]): Uint8Array {
  const { id, revision, deletedAtMs, isSilence, startMs: fromMs, endMs: toMs, monitorIds, agentIds } = row;
  const silence = isSilence ? { fromMs, toMs, monitorIds, agentIds } : undefined;
  const window = { id, revision, deleted: deletedAtMs !== null, silence };
  for (let kept = occurrences; ; kept = kept.slice(Math.ceil(kept.length / 8))) {
    const bytes = toBinary(
      MaintenanceWindowSchema,
      create(MaintenanceWindowSchema, { ...window, occurrences: [...kept] }),
    );
    if (bytes.length <= maxBytes || kept.length === 0) return bytes;
  }
}
