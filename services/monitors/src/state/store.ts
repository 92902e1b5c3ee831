import { clipError } from "@sonde/kit/clip";
import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { Saved } from "@sonde/kit/partitions/saving";
import { savePosition } from "@sonde/kit/partitions/stream-positions";
import type { Database } from "@sonde/kit/postgres/database";
import type { MonitorStatus } from "@sonde/proto/http/monitors";
import type { CheckStatus } from "@sonde/proto/http/checks";
import { partitions } from "@sonde/proto/subjects";
import type { LocationState, Tracked } from "./tracked.ts";

type TrackedRow = {
  id: number;
  revision: number;
  version: number;
  figures_version: number;
  interval_ms: number;
  timeout_ms: number;
  retries: number;
  locations: string[];
  status: MonitorStatus;
  status_since_ms: number;
  active_since_ms: number | null;
  stale_since_ms: number | null;
  state_stream: string;
  state_sequence: number;
  changes_ms: number[];
  flapping_since_ms: number | null;
};
export type FigureRow = {
  monitor_id: number;
  location: string;
  version: number;
  slot_ms: number;
  checked_at_ms: number;
  failing: boolean | null;
  failures: number;
  status: CheckStatus;
  response_time_ms: number;
  status_code: number | null;
  error: string | null;
  certificate_expires_at_ms: number | null;
  certificate_issuer: string | null;
};

/** The monitors of a partition, or these of it, with what is known of each location. */
export async function loadTracked(db: Database, partition: number, ids?: readonly number[]): Promise<Tracked[]> {
  const wanted = db<TrackedRow>("monitors").whereRaw(`id % ${partitions} = ?`, [partition]).whereNull("deleted_at_ms");
  if (ids !== undefined) wanted.whereRaw("id = any(?)", [[...ids]]);
  const rows = await wanted;
  const locationStates = await loadLocationStates(db, rows);
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    version: row.version,
    figuresVersion: row.figures_version,
    intervalMs: row.interval_ms,
    timeoutMs: row.timeout_ms,
    retries: row.retries,
    locations: row.locations,
    status: row.status,
    statusSinceMs: row.status_since_ms,
    activeSinceMs: row.active_since_ms,
    toldStale: row.stale_since_ms !== null,
    stateStream: row.state_stream,
    stateMark: row.state_sequence,
    flapping: { changesMs: row.changes_ms.map(Number), isFlapping: row.flapping_since_ms !== null },
    locationStates: locationStates.get(row.id) ?? new Map(),
  }));
}

/** What is known of each location of these monitors, as far as it may be shown. */
export async function loadLocationStates(
  db: Database,
  monitors: readonly { id: number; figures_version: number }[],
): Promise<Map<number, Map<string, LocationState>>> {
  const found = new Map<number, Map<string, LocationState>>();
  if (monitors.length === 0) return found;
  const versions = new Map(monitors.map(({ id, figures_version }) => [id, figures_version]));
  const rows = await db<FigureRow>("figures").whereRaw("monitor_id = any(?)", [[...versions.keys()]]);
  for (const row of rows) {
    if (row.version < (versions.get(row.monitor_id) ?? 0)) continue;
    const locationStates = found.get(row.monitor_id) ?? new Map<string, LocationState>();
    found.set(row.monitor_id, locationStates.set(row.location, readLocationState(row)));
  }
  return found;
}

function readLocationState(row: FigureRow): LocationState {
  return {
    version: row.version,
    slotMs: row.slot_ms,
    checkedAtMs: row.checked_at_ms,
    failing: row.failing,
    failures: row.failures,
    status: row.status,
    responseTimeMs: row.response_time_ms,
    ...(row.status_code === null ? {} : { statusCode: row.status_code }),
    ...(row.error === null ? {} : { error: clipError(row.error) }),
    ...(row.certificate_expires_at_ms === null ? {} : { certificateExpiresAtMs: row.certificate_expires_at_ms }),
    ...(row.certificate_issuer === null ? {} : { certificateIssuer: row.certificate_issuer }),
  };
}

export type Changed = { monitorId: number; location: string; locationState: LocationState };

/** So many rows are made in one go: more would stand in the way of everything else meanwhile. */
const rowsAtOnce = 1_000;

/**
 * Keeps the newest figures together with the position that they were read up to. Another owner's newer ones stay,
 * and so does what an edit left nothing of.
 */
export async function saveFigures(
  db: Database,
  { partition, position, changed, nowMs }: Saved<Changed>,
): Promise<void> {
  // In the order in which many monitors are deleted at once: else each could wait for a row that the other has.
  const inOrder = changed.toSorted((one, other) => one.monitorId - other.monitorId);
  await db.transaction(async (trx) => {
    for (let from = 0; from < inOrder.length; from += rowsAtOnce) {
      await writeFigures(trx, inOrder.slice(from, from + rowsAtOnce), nowMs);
    }
    if (position !== null) await savePosition(trx, partition, position);
  });
}

async function writeFigures(trx: Database, changed: readonly Changed[], nowMs: number): Promise<void> {
  const rows = changed.map(({ monitorId, location, locationState }) => ({
    monitor_id: monitorId,
    location,
    version: locationState.version,
    slot_ms: locationState.slotMs,
    checked_at_ms: locationState.checkedAtMs,
    failing: locationState.failing,
    failures: locationState.failures,
    status: locationState.status,
    response_time_ms: locationState.responseTimeMs,
    status_code: locationState.statusCode ?? null,
    error: locationState.error ?? null,
    certificate_expires_at_ms: locationState.certificateExpiresAtMs ?? null,
    certificate_issuer: locationState.certificateIssuer ?? null,
  }));
  await trx.raw(
    `insert into figures
       select given.* from jsonb_populate_recordset(null::figures, ?::jsonb) as given
       join monitors on monitors.id = given.monitor_id
       where given.version between monitors.figures_version and monitors.version and deleted_at_ms is null
       order by given.monitor_id, given.location
     on conflict (monitor_id, location) do update set
       version = excluded.version, slot_ms = excluded.slot_ms, checked_at_ms = excluded.checked_at_ms,
       failing = excluded.failing, failures = excluded.failures, status = excluded.status,
       response_time_ms = excluded.response_time_ms, status_code = excluded.status_code,
       error = excluded.error, certificate_expires_at_ms = excluded.certificate_expires_at_ms,
       certificate_issuer = excluded.certificate_issuer
     where (figures.version, figures.checked_at_ms) <= (excluded.version, excluded.checked_at_ms)
        or (figures.version = excluded.version and figures.checked_at_ms > ?)`,
    [JSON.stringify(rows), Math.round(nowMs) + clocksDifferMs],
  );
}
