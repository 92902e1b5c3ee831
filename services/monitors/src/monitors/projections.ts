import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Database } from "@sonde/kit/postgres/database";
import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { buckets } from "@sonde/proto/streams";
import { checkSpec } from "./fields.ts";
import { type MonitorRow, readRow } from "./rows.ts";
import { readSpans, type SpanRow } from "./timeline-store.ts";

type ProjectedRow = MonitorRow & { deleted_at_ms: number | null };

/** What runners and metrics hold of the monitors; a deleted one stays a tombstone as long as its row does. */
export function monitorProjections(db: Database): Record<"monitors" | "timelines", Projection> {
  const rowsOf = (keys: readonly string[]) => db<ProjectedRow>("monitors").whereRaw("id = any(?)", [keys.map(Number)]);
  const keys = async () => {
    const rows = await db<ProjectedRow>("monitors").select("id", "revision");
    return rows.map(({ id, revision }) => ({ key: String(id), revision }));
  };
  return {
    [buckets.monitors]: {
      read: async (wanted) => {
        const rows = await rowsOf(wanted);
        return new Map(rows.map((row) => [String(row.id), { revision: row.revision, value: encodeDefinition(row) }]));
      },
      revisionOf: (value) => fromBinary(MonitorDefinitionSchema, value).revision,
      keys,
    },
    [buckets.timelines]: {
      read: async (wanted) => {
        const rows = await rowsOf(wanted);
        const spans = await readSpans(
          db,
          rows.map(({ id }) => id),
        );
        const value = (row: ProjectedRow) => encodeTimeline(row, spans.get(row.id) ?? []);
        return new Map(rows.map((row) => [String(row.id), { revision: row.revision, value: value(row) }]));
      },
      revisionOf: (value) => fromBinary(MonitorTimelineSchema, value).revision,
      keys,
    },
  };
}

function encodeDefinition(row: ProjectedRow): Uint8Array {
  const { id, revision, version } = row;
  const base = { monitorId: id, revision, version };
  if (row.deleted_at_ms !== null) {
    return toBinary(MonitorDefinitionSchema, create(MonitorDefinitionSchema, { ...base, deleted: true }));
  }
  const monitor = readRow(row);
  const { intervalMs, retries, locations } = monitor;
  const rest = { active: monitor.status !== "paused", intervalMs, retries, locations, spec: checkSpec(monitor) };
  return toBinary(MonitorDefinitionSchema, create(MonitorDefinitionSchema, { ...base, ...rest }));
}

function encodeTimeline({ id, revision, deleted_at_ms }: ProjectedRow, rows: readonly SpanRow[]): Uint8Array {
  const deleted = deleted_at_ms !== null;
  const spans = rows.map((span) => ({
    fromMs: span.from_ms,
    intervalMs: span.interval_ms,
    locations: span.locations,
    active: span.active,
  }));
  const timeline = { monitorId: id, revision, deleted, spans: deleted ? [] : spans };
  return toBinary(MonitorTimelineSchema, create(MonitorTimelineSchema, timeline));
}
