import { clipError } from "@sonde/kit/clip";
import { clocksDifferMs } from "@sonde/kit/time/clock";
import type { SavedState } from "@sonde/kit/partitions/saving";
import { savePosition } from "@sonde/kit/partitions/saving";
import { type Database, snakeRow } from "@sonde/kit/postgres/database";
import { passiveTypes } from "@sonde/proto/http/monitors/kinds";
import { partitions } from "@sonde/proto/subjects";
import { type SavedFacts, writeFacts } from "../causes/store.ts";
import type { LocationState, TrackedMonitor } from "./tracked.ts";

export type TrackedRow = Omit<
  TrackedMonitor,
  "isStaleReported" | "isSlow" | "stateMark" | "flapping" | "locationStates"
> & {
  staleSinceMs: number | null;
  stateSequence: number;
  changesMs: number[];
  flappingSinceMs: number | null;
  slowSinceMs: number | null;
};
const trackedColumns: readonly (keyof TrackedRow)[] = [
  "id",
  "revision",
  "version",
  "figuresVersion",
  "intervalMs",
  "timeoutMs",
  "retries",
  "recoverAfter",
  "slowAfter",
  "slowChecks",
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
  "slowSinceMs",
];

const hasPartial = `exists (
  select from incidents where target_id = monitors.id and kind = 'partial' and closed_at_ms is null
) as has_partial_incident`;
const hasStale = `exists (
  select from incidents where target_id = monitors.id and kind = 'stale' and metric = '' and closed_at_ms is null
) as has_stale_incident`;

export async function loadTracked(
  db: Database,
  partition: number,
  ids?: readonly number[],
  kinds: "probed" | "heartbeats" = "probed",
): Promise<TrackedMonitor[]> {
  const query = db("monitors").whereRaw(`id % ${partitions} = ?`, [partition]).whereNull("deletedAtMs");
  if (kinds === "probed") void query.whereRaw("config->>'type' <> all(?)", [passiveTypes]);
  else void query.whereRaw("config->>'type' = 'heartbeat'");
  if (ids !== undefined) void query.whereRaw("id = any(?)", [[...ids]]);
  const rows = await query.select<TrackedRow[]>(...trackedColumns, db.raw(hasPartial), db.raw(hasStale));
  const locationStates = await loadLocationStates(db, rows);
  return rows.map((row) => trackedOf(row, locationStates.get(row.id) ?? new Map()));
}

export const trackedOf = (
  { staleSinceMs, stateSequence, changesMs, flappingSinceMs, slowSinceMs, ...row }: TrackedRow,
  locationStates: Map<string, LocationState>,
): TrackedMonitor => ({
  ...row,
  isStaleReported: staleSinceMs !== null,
  isSlow: slowSinceMs !== null,
  stateMark: stateSequence,
  flapping: { changesMs: changesMs.map(Number), isFlapping: flappingSinceMs !== null },
  locationStates,
});

type FigureRow = { monitorId: number; location: string } & {
  [Name in keyof LocationState]-?: LocationState[Name] | (undefined extends LocationState[Name] ? null : never);
};

/** Without figures of a different check. */
export async function loadLocationStates(
  db: Database,
  monitors: readonly { id: number; figuresVersion: number }[],
): Promise<Map<number, Map<string, LocationState>>> {
  const states = new Map<number, Map<string, LocationState>>();
  if (monitors.length === 0) return states;
  const versions = new Map(monitors.map(({ id, figuresVersion }) => [id, figuresVersion]));
  const rows = await db("figures")
    .whereRaw("monitor_id = any(?)", [[...versions.keys()]])
    .select<FigureRow[]>("*");
  for (const { monitorId, location, ...row } of rows) {
    if (row.version < (versions.get(monitorId) ?? 0)) continue;
    const locationStates = states.get(monitorId) ?? new Map<string, LocationState>();
    states.set(monitorId, locationStates.set(location, readLocationState(row)));
  }
  return states;
}

const readLocationState = (row: Omit<FigureRow, "monitorId" | "location">): LocationState => ({
  ...row,
  statusCode: row.statusCode ?? undefined,
  error: row.error === null || row.error === undefined ? undefined : clipError(row.error),
  certificateExpiresAtMs: row.certificateExpiresAtMs ?? undefined,
  certificateIssuer: row.certificateIssuer ?? undefined,
  suspicion: row.suspicion ?? undefined,
  slowness: row.slowness ?? undefined,
  // Neither does it update `recovery`.
  recovery: row.failing === true && row.status === "down" ? undefined : (row.recovery ?? undefined),
  // A replica of the previous version does not update `partial`.
  partial: row.partial === true && row.failing === false && row.status === "down",
});

export type ChangedLocation = { monitorId: number; location: string; locationState: LocationState };
export type SavedFigures = ChangedLocation | SavedFacts;

/** Number of rows written at once; more would block other work. */
const rowsAtOnce = 1_000;

/** Newer figures of another owner stay, and figures that an edit discarded are not restored. */
export async function saveFigures(
  db: Database,
  { partition, position, changed, nowMs }: SavedState<SavedFigures>,
): Promise<void> {
  // Bulk deletions lock in the same order; otherwise the two could deadlock.
  const inOrder = changed.toSorted((one, other) => one.monitorId - other.monitorId);
  await db.transaction(async (trx) => {
    for (let from = 0; from < inOrder.length; from += rowsAtOnce) {
      const some = inOrder.slice(from, from + rowsAtOnce);
      await writeFigures(
        trx,
        some.filter((one) => "locationState" in one),
        nowMs,
      );
      await writeFacts(
        trx,
        some.filter((one) => "facts" in one),
        nowMs,
      );
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
       suspicion = excluded.suspicion, partial = excluded.partial,
       slowness = excluded.slowness, recovery = excluded.recovery
     where (figures.version, figures.checked_at_ms) <= (excluded.version, excluded.checked_at_ms)
        or (figures.version = excluded.version and figures.checked_at_ms > ?)`,
    [JSON.stringify(rows), Math.round(nowMs) + clocksDifferMs],
  );
}
