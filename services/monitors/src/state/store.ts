import { clipError } from "@sonde/kit/clip";
import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { SavedState } from "@sonde/kit/partitions/saving";
import { savePosition } from "@sonde/kit/partitions/saving";
import { type Database, snakeRow } from "@sonde/kit/postgres/database";
import { passiveTypes } from "@sonde/proto/http/monitors/kinds";
import { partitions } from "@sonde/proto/subjects";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

type TrackedRow = Omit<TrackedMonitor, "toldStale" | "stateMark" | "flapping" | "locationStates"> & {
  staleSinceMs: number | null;
  stateSequence: number;
  changesMs: number[];
  flappingSinceMs: number | null;
};
const trackedColumns: readonly (keyof TrackedRow)[] = [
  "id",
  "revision",
  "version",
  "figuresVersion",
  "intervalMs",
  "timeoutMs",
  "retries",
  "locations",
  "confirm",
  "status",
  "statusSinceMs",
  "activeSinceMs",
  "staleSinceMs",
  "stateStream",
  "stateSequence",
  "changesMs",
  "flappingSinceMs",
];

const hasPartial = `exists (
  select from incidents where target_id = monitors.id and kind = 'partial' and closed_at_ms is null
) as told_partial`;
const hasStale = `exists (
  select from incidents where target_id = monitors.id and kind = 'stale' and metric = '' and closed_at_ms is null
) as has_stale_incident`;

/** The monitors of a partition, or these of it, with what is known of each location. */
export async function loadTracked(
  db: Database,
  partition: number,
  ids?: readonly number[],
  kinds: "probed" | "passive" = "probed",
): Promise<TrackedMonitor[]> {
  const wanted = db("monitors").whereRaw(`id % ${partitions} = ?`, [partition]).whereNull("deletedAtMs");
  const ofKind = kinds === "probed" ? "config->>'type' <> all(?)" : "config->>'type' = any(?)";
  void wanted.whereRaw(ofKind, [passiveTypes]);
  if (ids !== undefined) void wanted.whereRaw("id = any(?)", [[...ids]]);
  const rows = await wanted.select<TrackedRow[]>(...trackedColumns, db.raw(hasPartial), db.raw(hasStale));
  const locationStates = await loadLocationStates(db, rows);
  return rows.map(({ staleSinceMs, stateSequence, changesMs, flappingSinceMs, ...row }) => ({
    ...row,
    toldStale: staleSinceMs !== null,
    stateMark: stateSequence,
    flapping: { changesMs: changesMs.map(Number), isFlapping: flappingSinceMs !== null },
    locationStates: locationStates.get(row.id) ?? new Map<string, LocationState>(),
  }));
}

type FigureRow = { monitorId: number; location: string } & {
  [Name in keyof LocationState]-?: LocationState[Name] | (undefined extends LocationState[Name] ? null : never);
};

/** What is known of each location of these monitors, as far as it may be shown. */
export async function loadLocationStates(
  db: Database,
  monitors: readonly { id: number; figuresVersion: number }[],
): Promise<Map<number, Map<string, LocationState>>> {
  const found = new Map<number, Map<string, LocationState>>();
  if (monitors.length === 0) return found;
  const versions = new Map(monitors.map(({ id, figuresVersion }) => [id, figuresVersion]));
  const rows = await db("figures")
    .whereRaw("monitor_id = any(?)", [[...versions.keys()]])
    .select<FigureRow[]>("*");
  for (const { monitorId, location, ...row } of rows) {
    if (row.version < (versions.get(monitorId) ?? 0)) continue;
    const locationStates = found.get(monitorId) ?? new Map<string, LocationState>();
    found.set(monitorId, locationStates.set(location, readLocationState(row)));
  }
  return found;
}

const readLocationState = (row: Omit<FigureRow, "monitorId" | "location">): LocationState => ({
  ...row,
  statusCode: row.statusCode ?? undefined,
  error: row.error === null || row.error === undefined ? undefined : clipError(row.error),
  certificateExpiresAtMs: row.certificateExpiresAtMs ?? undefined,
  certificateIssuer: row.certificateIssuer ?? undefined,
  suspicion: row.suspicion ?? undefined,
  // A process of the version before leaves these as they were.
  partial: row.partial === true && row.failing === false && row.status === "down",
});

export type ChangedLocation = { monitorId: number; location: string; locationState: LocationState };

/** The number of rows made at once: more would block other work. */
const rowsAtOnce = 1_000;

/**
 * Keeps the newest figures together with the position that they were read up to. Another owner's newer ones stay,
 * and so does what an edit left nothing of.
 */
export async function saveFigures(
  db: Database,
  { partition, position, changed, nowMs }: SavedState<ChangedLocation>,
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

export async function writeFigures(trx: Database, changed: readonly ChangedLocation[], nowMs: number): Promise<void> {
  const rows = changed.map(({ monitorId, location, locationState }) =>
    snakeRow({ monitorId, location, ...locationState }),
  );
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
       certificate_issuer = excluded.certificate_issuer,
       suspicion = excluded.suspicion, partial = excluded.partial
     where (figures.version, figures.checked_at_ms) <= (excluded.version, excluded.checked_at_ms)
        or (figures.version = excluded.version and figures.checked_at_ms > ?)`,
    [JSON.stringify(rows), Math.round(nowMs) + clocksDifferMs],
  );
}
