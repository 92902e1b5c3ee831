import type { Bus } from "@sonde/kit/bus/connect";
import { type FactsInit, publishIncident } from "@sonde/domain/incidents/store";
import type { Database } from "@sonde/kit/postgres/database";
import type { Clock } from "@sonde/kit/time/clock";
import { streams } from "@sonde/proto/streams";
import { subjects } from "@sonde/proto/subjects";
import { fill } from "@sonde/proto/http/fill";
import type { reasons } from "@sonde/proto/http/reasons/reasons";
import { incidents, stale } from "../incidents/facts.ts";
import type { Locations } from "../locations/locations.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import { countMissed, isStale, type MonitorTiming } from "./stale.ts";

const cachedForMs = 1_000;

/** `lastResultMs`: by our clock. `missing`: number of its monitors that missed a slot since. */
type LocationActivity = { lastResultMs: number; missing: number };

const causes = {
  none: "No runner at {location}: its monitors get no results",
  names: "The runner at {location} cannot resolve names: its monitors get no results",
  network: "The runner at {location} cannot reach its network: its monitors get no results",
  silent: "No results from {location}, although its runner is online",
} as const satisfies Record<string, keyof typeof reasons>;

export type SilentLocations = ReturnType<typeof createSilentLocations>;

/** Shared by all partitions of a process. */
export function createSilentLocations({
  db,
  bus,
  clock,
  locations,
}: {
  db: Database;
  bus: Pick<Bus, "jsm">;
  clock: Clock;
  locations: Pick<Locations, "servedSinceMs" | "runners" | "trouble">;
}) {
  const activity = new Map<string, { readAtMs: number; pending: Promise<LocationActivity> }>();
  /** A location with a live runner that was silent counts as served from then on at the earliest. */
  const lastSilentMs = new Map<string, number>();
  let openedAtMs = new Map<string, number>();

  const readActivity = async (name: string, nowMs: number): Promise<LocationActivity> => {
    const { name: stream } = streams.results;
    const [info, last, monitors] = await Promise.all([
      bus.jsm.streams.info(stream),
      bus.jsm.streams.getMessage(stream, { last_by_subj: subjects.results("*", name) }),
      timingsAt(db, name),
    ]);
    // The bus's clock may differ from ours. NATS before 2.10 does not send its time.
    const busNowMs = Date.parse((info as { ts?: string }).ts ?? "") || nowMs;
    const lastResultMs = last === null ? 0 : nowMs - Math.max(0, busNowMs - last.time.getTime());
    return { lastResultMs, missing: monitors.filter((one) => countMissed(one, lastResultMs, nowMs) > 0).length };
  };
  const read = (name: string): Promise<LocationActivity> => {
    const cached = activity.get(name);
    const nowMs = clock.now();
    if (cached !== undefined && Math.abs(nowMs - cached.readAtMs) < cachedForMs) return cached.pending;
    const pending = readActivity(name, nowMs);
    activity.set(name, { readAtMs: nowMs, pending });
    return pending;
  };

  return {
    /** Since when a location can report results, epoch ms; `null` without a runner that can check. */
    servedSinceMs(name: string): number | null {
      const sinceMs = locations.servedSinceMs(name);
      return sinceMs === null ? null : Math.max(sinceMs, lastSilentMs.get(name) ?? 0);
    },
    /**
     * True if the silence is not the monitor's own: its served locations, if any, reported nothing during its three
     * missed slots although other monitors are due there.
     */
    async covers(monitor: MonitorTiming & { locations: readonly string[] }, sinceMs: number): Promise<boolean> {
      const served = monitor.locations.filter((name) => locations.servedSinceMs(name) !== null);
      for (const name of served) {
        const { lastResultMs, missing } = await read(name);
        if (missing < 2 || !isStale(monitor, Math.max(sinceMs, lastResultMs), clock.now())) return false;
      }
      for (const name of served) lastSilentMs.set(name, clock.now());
      return true;
    },
    causeOf(name: string): string {
      const cause = locations.runners(name) === 0 ? "none" : (locations.trouble(name) ?? "silent");
      return fill(causes[cause], { location: name });
    },
    async look(): Promise<void> {
      const open = db("incidents").where({ kind: stale.kind }).whereNot({ metric: "" }).whereNull("closedAtMs");
      const rows = await open.select<{ metric: string; openedAtMs: number }[]>("metric", "openedAtMs");
      openedAtMs = new Map(rows.map((row) => [row.metric, Number(row.openedAtMs)]));
    },
    opened: (name: string, atMs: number): void => void openedAtMs.set(name, openedAtMs.get(name) ?? atMs),
    ended: (name: string): void => void openedAtMs.delete(name),
    /**
     * True if a result that the bus stored at `storedAtMs` ends the location's incident. A runner in trouble still
     * reports what it can, so its results do not.
     */
    isEndedBy: (name: string, storedAtMs: number): boolean =>
      storedAtMs > (openedAtMs.get(name) ?? Infinity) && locations.servedSinceMs(name) !== null,
  };
}

const timingsAt = (db: Database, name: string): Promise<MonitorTiming[]> =>
  db("monitors")
    .whereRaw("? = any(locations)", [name])
    .whereNotNull("activeSinceMs")
    .whereNull("deletedAtMs")
    .select<MonitorTiming[]>("id", "intervalMs", "timeoutMs", "activeSinceMs");

const subjectOf = (location: string) => ({ ...stale, metric: location });

/**
 * Does nothing if it is open. An incident needs a monitor, so it belongs to one of the silent ones, but its facts
 * describe the location.
 */
export async function openSilentLocation(
  trx: Database,
  monitor: StoredMonitor,
  { location, cause }: { location: string; cause: string },
  nowMs: number,
): Promise<void> {
  // Owners of other partitions detect the same silence at the same time.
  await trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde location ' || current_schema() || ?, 0))", [
    location,
  ]);
  const open = trx("incidents").where({ kind: stale.kind, metric: location }).whereNull("closedAtMs");
  if ((await open.first("id")) !== undefined) return;
  const incident = await incidents.open(trx, monitor, subjectOf(location), cause, nowMs);
  if (incident === null) return;
  await publishIncident(trx, { atMs: nowMs, change: "opened", incident, facts: factsAt(monitor, location) });
}

export const closeSilentLocation = (
  db: Database,
  location: string,
  checkedAtMs: number,
  nowMs: number,
): Promise<void> =>
  db.transaction(async (trx) => {
    const rows = await trx.raw<{ rows: StoredMonitor[] }>(
      `select ${describedColumns} from monitors where id in (
         select target_id from incidents where kind = ? and metric = ? and closed_at_ms is null) order by id for update`,
      [stale.kind, location],
    );
    for (const monitor of rows.rows) {
      for (const incident of await incidents.close(trx, monitor, subjectOf(location), "recovered", checkedAtMs))
        await publishIncident(trx, { atMs: nowMs, change: "closed", incident, facts: factsAt(monitor, location) });
    }
  });

/** Moves incidents of silent locations to other silent monitors before those of the given monitors are closed. */
export async function passOnSilentLocations(trx: Database, ids: readonly number[]): Promise<void> {
  await trx.raw(
    `update incidents set target_id = heirs.monitor_id from (
       select incidents.id, min(monitors.id) as monitor_id
       from incidents join monitors on incidents.metric = any(monitors.locations)
       where incidents.target_id = any(:ids::int[]) and kind = :kind and metric <> '' and closed_at_ms is null
         and stale_since_ms is not null and deleted_at_ms is null and monitors.id <> all(:ids::int[])
       group by incidents.id
     ) heirs where incidents.id = heirs.id`,
    { ids: [...ids], kind: stale.kind },
  );
}

/** Without the monitor's address, tags, note and dependencies. */
const factsAt = ({ intervalMs }: StoredMonitor, location: string): FactsInit => ({
  locations: [location],
  intervalMs,
});
