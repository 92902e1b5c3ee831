import type { SavedState } from "@sonde/kit/partitions/saving";
import type { Position } from "@sonde/kit/bus/follow";
import type { Database } from "@sonde/kit/postgres/database";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { StoredCheck } from "../monitors/monitor.ts";
import { shownCheck } from "../monitors/stored-check.ts";
import { loadTracked, writeFigures } from "../state/store.ts";
import type { LocationState } from "../state/tracked.ts";
import type { Covered } from "./coverage.ts";
import type { TrackedHeartbeat } from "./decide.ts";
import type { HeartbeatState } from "./state.ts";

export async function loadHeartbeats(
  db: Database,
  partition: number,
  ids?: readonly number[],
): Promise<TrackedHeartbeat[]> {
  const monitors = await loadTracked(db, partition, ids, "heartbeats");
  const rows = await db("heartbeats")
    .join("monitors", "monitors.id", "heartbeats.monitorId")
    .whereRaw("monitor_id = any(?::int[])", [monitors.map(({ id }) => id)])
    .select<{ monitorId: number; config: StoredCheck; sinceMs: number; state: HeartbeatState | null }[]>(
      "monitorId",
      "config",
      "sinceMs",
      "state",
    );
  const existing = new Map(rows.map((row) => [row.monitorId, row]));
  return monitors.flatMap((monitor) => {
    const row = existing.get(monitor.id);
    if (row === undefined) return [];
    const check = shownCheck(row.config) as CheckOf<"heartbeat">;
    return [{ ...monitor, check, sinceMs: Number(row.sinceMs), state: row.state }];
  });
}

export type ChangedHeartbeat = Pick<TrackedHeartbeat, "id" | "sinceMs" | "state"> & { location: LocationState | null };

/** A further position of another owner is kept. */
export async function saveHeartbeats(
  db: Database,
  { partition, position, changed, nowMs }: SavedState<ChangedHeartbeat>,
  location: string,
  { coveredSinceMs, heardMs }: Covered,
): Promise<void> {
  const inOrder = changed.toSorted((one, other) => one.id - other.id);
  await db.transaction(async (trx) => {
    const figures = inOrder.flatMap(({ id, location: locationState }) =>
      locationState === null ? [] : [{ monitorId: id, location, locationState }],
    );
    if (figures.length > 0) await writeFigures(trx, figures, nowMs);
    if (inOrder.length > 0) {
      await trx.raw(
        `update heartbeats set state = given.state
         from unnest(?::int[], ?::bigint[], ?::jsonb[]) as given (id, since_ms, state)
         where monitor_id = given.id and heartbeats.since_ms = given.since_ms`,
        [
          inOrder.map(({ id }) => id),
          inOrder.map(({ sinceMs }) => sinceMs),
          inOrder.map(({ state }) => JSON.stringify(state)),
        ],
      );
    }
    if (position === null) return;
    await trx.raw(
      `insert into heartbeat_positions values (?, ?, ?, ?, ?)
       on conflict (partition) do update set stream_created = excluded.stream_created, sequence = excluded.sequence,
         covered_since_ms = excluded.covered_since_ms, heard_ms = excluded.heard_ms
       where heartbeat_positions.stream_created <> excluded.stream_created
         or heartbeat_positions.sequence < excluded.sequence`,
      [partition, position.created, position.sequence, coveredSinceMs, heardMs],
    );
  });
}

export async function readHeartbeatPosition(
  db: Database,
  partition: number,
): Promise<{ position: Position | null; covered: Covered }> {
  const rows = db("heartbeat_positions").where({ partition });
  const row = await rows.first<(Position & Covered) | undefined>(
    "stream_created as created",
    "sequence",
    "coveredSinceMs",
    "heardMs",
  );
  if (row === undefined) return { position: null, covered: { coveredSinceMs: null, heardMs: null } };
  const { created, sequence, coveredSinceMs, heardMs } = row;
  return { position: { created, sequence }, covered: { coveredSinceMs, heardMs } };
}
