import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Projection } from "@sonde/kit/postgres/outbox-buckets";
import type { Database } from "@sonde/kit/postgres/database";
import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { isPassive } from "@sonde/proto/http/monitors/kinds";
import { type Bucket, buckets, definitionKey } from "@sonde/proto/streams";
import { heartbeatLocation } from "@sonde/proto/subjects";
import type { StoredMonitor } from "./monitor.ts";
import type { LocationSeals, SealForLocation } from "../runners/seal.ts";
import { readSpans, type SpanRow } from "./timeline-store.ts";

type ProjectedRow = StoredMonitor & { deletedAtMs: number | null };

/** One definition key per former or present location, since the runners of a location cannot read the others. */
export function monitorKeys(id: number, locations: Iterable<string>): { bucket: Bucket; key: string }[] {
  return [
    // Runners must not send results before metrics can know of the monitor.
    ...[buckets.monitors, buckets.timelines].map((bucket) => ({ bucket, key: String(id) })),
    ...[...new Set(locations)].filter(isOfRunners).map((location) => ({
      bucket: buckets.definitions,
      key: definitionKey(location, id),
    })),
  ];
}

const isOfRunners = (location: string) => location !== heartbeatLocation;

/** A deleted monitor has a tombstone as long as its row exists, and so does a monitor that left a location. */
export function monitorProjections(
  db: Database,
  seals: LocationSeals,
): Record<"definitions" | "monitors" | "timelines", Projection> {
  const rowsOf = (keys: readonly string[]) => db<ProjectedRow>("monitors").whereRaw("id = any(?)", [keys.map(Number)]);
  const keys = async () => {
    const rows = await db<ProjectedRow>("monitors").select("id", "revision");
    return rows.map(({ id, revision }) => ({ key: String(id), revision }));
  };
  return {
    [buckets.definitions]: {
      read: async (wanted) => {
        const [found, seal] = await Promise.all([rowsOf(wanted.map(idOf)), seals.read()]);
        const rows = new Map(found.map((row) => [String(row.id), row]));
        return new Map(
          wanted.flatMap((key) => {
            const row = rows.get(idOf(key));
            if (row === undefined) return [];
            return [
              [key, { revision: row.revision, value: encodeDefinition(row, { location: locationOf(key), seal }) }],
            ];
          }),
        );
      },
      revisionOf: (value) => fromBinary(MonitorDefinitionSchema, value).revision,
      async keys(stored) {
        const rows = await db<ProjectedRow>("monitors").select("id", "revision", "locations");
        const present = new Map(rows.map((row) => [String(row.id), row]));
        const wanted = rows.flatMap(({ id, locations }) =>
          locations.filter(isOfRunners).map((location) => definitionKey(location, id)),
        );
        // Stored keys include deleted monitors: they become tombstones, or are deleted if the row is gone.
        return [...new Set([...wanted, ...stored])].map((key) => ({
          key,
          revision: present.get(idOf(key))?.revision ?? Number.POSITIVE_INFINITY,
        }));
      },
    },
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

const idOf = (key: string) => key.slice(key.lastIndexOf(".") + 1);
const locationOf = (key: string) => key.slice(0, key.lastIndexOf("."));

/**
 * Returns a tombstone if the monitor was deleted, is not checked by runners, or is not at the reader's location. The
 * bucket `monitors` has no reader; it keeps what version 0.1.0 sealed, because its runners read that bucket.
 */
function encodeDefinition(
  row: ProjectedRow,
  reader: { location: string; seal: SealForLocation } | null = null,
): Uint8Array {
  const { id, revision, version } = row;
  const base = { monitorId: id, revision, version };
  const isHere = reader === null || row.locations.includes(reader.location);
  if (row.deletedAtMs !== null || !isHere || isPassive(row.config.type)) {
    return toBinary(MonitorDefinitionSchema, create(MonitorDefinitionSchema, { ...base, deleted: true }));
  }
  const { intervalMs, timeoutMs, retries, locations, status, keepBody } = row;
  const check = reader === null ? row.config : reader.seal(row.config, reader.location);
  const spec = { check: JSON.stringify(check), timeoutMs, keepBody };
  const rest = { active: status !== "paused", intervalMs, retries, locations, spec };
  return toBinary(MonitorDefinitionSchema, create(MonitorDefinitionSchema, { ...base, ...rest }));
}

function encodeTimeline(row: ProjectedRow, rows: readonly SpanRow[]): Uint8Array {
  const { id, revision, deletedAtMs, config } = row;
  const deleted = deletedAtMs !== null;
  const dueInRows = config.type === "heartbeat";
  const keepBody = config.type === "heartbeat" ? config["keepOutput"] !== false : row.keepBody;
  const spans = rows.map(({ fromMs, intervalMs, locations, active }) => ({ fromMs, intervalMs, locations, active }));
  const timeline = { monitorId: id, revision, deleted, spans: deleted ? [] : spans, keepBody, dueInRows };
  return toBinary(MonitorTimelineSchema, create(MonitorTimelineSchema, timeline));
}
