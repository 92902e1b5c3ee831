import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Clock } from "@sonde/kit/time/clock";
import { MaintenanceWindowSchema } from "@sonde/proto/gen/status/v1/status";
import { buckets } from "@sonde/proto/streams";
import { type Occurrence, occurrencesOf, type WindowTargets } from "./store.ts";
import { dayMs } from "./schedule.ts";

/** Maximum age of history. */
export const historyDepthMs = 400 * dayMs;
/** Below the limit of a bus message (1 MiB). */
const maxBytes = 900 * 1024;

type Row = WindowTargets & {
  id: number;
  revision: number;
  deletedAtMs: number | null;
  isSilence: boolean;
  startMs: number;
  endMs: number;
};

/** One key per window with its spans; a deleted window keeps its past ones. A silence has its own field. */
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

/** Drops the oldest occurrences from a value that is too large to publish. */
function encode(row: Row, occurrences: readonly Occurrence[]): Uint8Array {
  const { id, revision, deletedAtMs, isSilence, startMs: fromMs, endMs: toMs, monitorIds, agentIds } = row;
  const silence = isSilence ? { fromMs, toMs, monitorIds, agentIds } : undefined;
  const window = { id, revision, deleted: deletedAtMs !== null, silence };
  for (let remaining = occurrences; ; remaining = remaining.slice(Math.ceil(remaining.length / 8))) {
    const bytes = toBinary(
      MaintenanceWindowSchema,
      create(MaintenanceWindowSchema, { ...window, occurrences: [...remaining] }),
    );
    if (bytes.length <= maxBytes || remaining.length === 0) return bytes;
  }
}
