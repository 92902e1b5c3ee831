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

/** How long what was read of a location is used for all partitions of this process. */
const usedForMs = 1_000;

/** When a location's last result came, by this clock, and how many of its monitors missed a slot since. */
type Heard = { lastResultMs: number; missing: number };

const causes = {
  none: "No runner at {location}: its monitors get no results",
  names: "The runner at {location} cannot resolve names: its monitors get no results",
  network: "The runner at {location} cannot reach its network: its monitors get no results",
  silent: "No results from {location}, although its runner is online",
} as const satisfies Record<string, keyof typeof reasons>;

export type SilentLocations = ReturnType<typeof createSilentLocations>;

/** Which locations report nothing at all: the partitions of a process share it. */
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
  const heard = new Map<string, { readAtMs: number; found: Promise<Heard> }>();
  /** When a location was last found silent although a runner lives there: it counts as served since then at most. */
  const foundSilentMs = new Map<string, number>();
  let openedAtMs = new Map<string, number>();

  const readHeard = async (name: string, nowMs: number): Promise<Heard> => {
    const { name: stream } = streams.results;
    const [info, last, monitors] = await Promise.all([
      bus.jsm.streams.info(stream),
      bus.jsm.streams.getMessage(stream, { last_by_subj: subjects.results("*", name) }),
      timingsAt(db, name),
    ]);
    // The bus's clock may differ from this one. NATS before 2.10 does not send its time.
    const busNowMs = Date.parse((info as { ts?: string }).ts ?? "") || nowMs;
    const lastResultMs = last === null ? 0 : nowMs - Math.max(0, busNowMs - last.time.getTime());
    return { lastResultMs, missing: monitors.filter((one) => countMissed(one, lastResultMs, nowMs) > 0).length };
  };
  const read = (name: string): Promise<Heard> => {
    const known = heard.get(name);
    const nowMs = clock.now();
    if (known !== undefined && Math.abs(nowMs - known.readAtMs) < usedForMs) return known.found;
    const found = readHeard(name, nowMs);
    heard.set(name, { readAtMs: nowMs, found });
    return found;
  };

  return {
    /** Since when results come from a location, epoch ms; null: no runner lives there, or it cannot check. */
    servedSinceMs(name: string): number | null {
      const sinceMs = locations.servedSinceMs(name);
      return sinceMs === null ? null : Math.max(sinceMs, foundSilentMs.get(name) ?? 0);
    },
    /**
     * True if none of a monitor's locations reported anything in the time of its three missed slots, though other monitors are
     * due there too, or none is served: then the silence is not the monitor's.
     */
    async covers(monitor: MonitorTiming & { locations: readonly string[] }, sinceMs: number): Promise<boolean> {
      const served = monitor.locations.filter((name) => locations.servedSinceMs(name) !== null);
      for (const name of served) {
        const { lastResultMs, missing } = await read(name);
        if (missing < 2 || !isStale(monitor, Math.max(sinceMs, lastResultMs), clock.now())) return false;
      }
      for (const name of served) foundSilentMs.set(name, clock.now());
      return true;
    },
    causeOf(name: string): string {
      const cause = locations.runners(name) === 0 ? "none" : (locations.trouble(name) ?? "silent");
      return fill(causes[cause], { location: name });
    },
    /** Reads which locations have an open incident, for `isEndedBy`. */
    async look(): Promise<void> {
      const open = db("incidents").where({ kind: stale.kind }).whereNot({ metric: "" }).whereNull("closedAtMs");
      const rows = await open.select<{ metric: string; openedAtMs: number }[]>("metric", "openedAtMs");
      openedAtMs = new Map(rows.map((row) => [row.metric, Number(row.openedAtMs)]));
    },
    opened: (name: string, atMs: number): void => void openedAtMs.set(name, openedAtMs.get(name) ?? atMs),
    ended: (name: string): void => void openedAtMs.delete(name),
    /**
     * True if a result of a location that the bus stored then ends the location's incident. A runner in trouble still reports
     * what it can.
     */
    isEndedBy: (name: string, storedAtMs: number): boolean =>
      storedAtMs > (openedAtMs.get(name) ?? Infinity) && locations.servedSinceMs(name) !== null,
  };
}

/** When checks are due of the active monitors of a location. */
const timingsAt = (db: Database, name: string): Promise<MonitorTiming[]> =>
  db("monitors")
    .whereRaw("? = any(locations)", [name])
    .whereNotNull("activeSinceMs")
    .whereNull("deletedAtMs")
    .select<MonitorTiming[]>("id", "intervalMs", "timeoutMs", "activeSinceMs");

const subjectOf = (location: string) => ({ ...stale, metric: location });

/**
 * Opens the incident of a silent location unless it is open. It belongs to one of the silent monitors, since each incident has
 * a monitor; its facts are those of the location.
 */
export async function openSilentLocation(
  trx: Database,
  monitor: StoredMonitor,
  { location, cause }: { location: string; cause: string },
  nowMs: number,
): Promise<void> {
  // Owners of other partitions find the same silence at the same time.
  await trx.raw("select pg_advisory_xact_lock(hashtextextended('sonde location ' || current_schema() || ?, 0))", [
    location,
  ]);
  const open = trx("incidents").where({ kind: stale.kind, metric: location }).whereNull("closedAtMs");
  if ((await open.first("id")) !== undefined) return;
  const incident = await incidents.open(trx, monitor, subjectOf(location), cause, nowMs);
  if (incident === null) return;
  await publishIncident(trx, { atMs: nowMs, change: "opened", incident, facts: factsAt(monitor, location) });
}

/** Closes the incident of a location from which results come again. */
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

/** Gives the incidents of silent locations that belong to monitors which are about to end theirs to others that are silent. */
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

/** Nothing of the monitor: its address, tags, note and dependencies say nothing about the location. */
const factsAt = ({ intervalMs }: StoredMonitor, location: string): FactsInit => ({
  locations: [location],
  intervalMs,
});
