import { createIncidentEvent, publishIncident } from "@sonde/domain/incidents/store";
import type { StreamMark } from "@sonde/kit/partitions/saving";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent, enqueueEvents, type EventInit } from "@sonde/kit/postgres/outbox";
import { factsOf, incidents, stale } from "../incidents/facts.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import { openSilentLocation } from "./silent-locations.ts";
import type { TrackedMonitor } from "./tracked.ts";

/** A monitor that missed three slots, when it was checked last, and whether the silence is its own. */
export type SilentMonitor = { monitor: TrackedMonitor; lastCheckedAtMs: number; isOwn: boolean };

/**
 * Records once for each of these monitors that it missed three slots, and opens an incident, whatever other incidents
 * it has, in one transaction; one incident for each location if the silence is that of the locations. Returns for each whether
 * it did: false if that was recorded, it has another version by now, or another owner has read further and changed it.
 *
 * @param causeOf why a location is silent
 * @param read The stream was known up to there when this was decided, so that reading it again does not end the
 * silence; null before the first result.
 */
export async function commitStale(
  db: Database,
  silent: readonly SilentMonitor[],
  read: StreamMark | null,
  { nowMs, causeOf }: { nowMs: number; causeOf: (location: string) => string },
): Promise<boolean[]> {
  return db.transaction(async (trx) => {
    const rows = await markStale(trx, silent, read, nowMs);
    const begun = silent.flatMap(({ monitor: { id }, lastCheckedAtMs, isOwn }) => {
      const target = rows.get(id);
      const cause = `No results for ${inWords(nowMs - lastCheckedAtMs)}`;
      return target === undefined ? [] : [{ target, cause, lastCheckedAtMs, isOwn }];
    });
    if (begun.length === 0) return silent.map(() => false);
    const own = begun.filter(({ isOwn }) => isOwn);
    const opened = await incidents.openEach(trx, own, stale, nowMs);
    const events = begun.flatMap(({ target, lastCheckedAtMs }) => {
      const incident = opened.get(target.id);
      const silence = silenceEvent(target, "stale", lastCheckedAtMs, nowMs);
      if (incident === undefined) return [silence];
      return [silence, createIncidentEvent({ atMs: nowMs, change: "opened", incident, facts: factsOf(target) })];
    });
    await enqueueEvents(trx, events);
    const shared = begun.filter(({ isOwn }) => !isOwn).map(({ target }) => target);
    const silentLocations = new Set(shared.flatMap(({ locations }) => locations));
    for (const location of [...silentLocations].toSorted()) {
      const monitor = shared.find(({ locations }) => locations.includes(location))!;
      await openSilentLocation(trx, monitor, { location, cause: causeOf(location) }, nowMs);
    }
    return silent.map(({ monitor: { id } }) => rows.has(id));
  });
}

/** Marks the rows that are still what was assumed; answers them as they are then, by id. */
async function markStale(
  trx: Database,
  silent: readonly SilentMonitor[],
  read: StreamMark | null,
  nowMs: number,
): Promise<Map<number, StoredMonitor>> {
  const ids = silent.map(({ monitor: { id } }) => id);
  // In the order of ids: two owners of the same monitors wait for each other instead of blocking each other.
  await trx.raw("select from monitors where id = any(?) order by id for update", [ids]);
  const { rows } = await trx.raw<{ rows: StoredMonitor[] }>(
    `update monitors set
       stale_since_ms = coalesce(stale_since_ms, :nowMs),
       state_stream = coalesce(:stream, state_stream),
       state_sequence = coalesce(:mark, state_sequence)
     where (id, version) in (select * from unnest(:ids::int[], :versions::int[]))
       and (stale_since_ms is null or id = any(:own::int[])) and deleted_at_ms is null
       and (:stream::text is null or state_stream <> :stream or state_sequence <= :mark::bigint)
     returning ${describedColumns}`,
    {
      ids,
      versions: silent.map(({ monitor: { version } }) => version),
      // These were reported with their location before, which is served now.
      own: silent.filter(({ isOwn }) => isOwn).map(({ monitor: { id } }) => id),
      stream: read?.stream ?? null,
      mark: read?.mark ?? null,
      nowMs: Math.round(nowMs),
    },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Records once that checks arrive again, so that the next silence is reported again, and closes its incident. */
export async function commitFresh(
  db: Database,
  monitor: TrackedMonitor,
  checked: { checkedAtMs: number; responseTimeMs: number; statusCode?: number },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [found] = await trx("monitors")
      .where({ id: monitor.id, version: monitor.version })
      .whereNotNull("staleSinceMs")
      .whereNull("deletedAtMs")
      .update({ staleSinceMs: null })
      .returning<StoredMonitor[]>(trx.raw(describedColumns));
    if (found === undefined) return false;
    await enqueueEvent(trx, silenceEvent(found, "fresh", checked.checkedAtMs, nowMs));
    for (const incident of await incidents.close(trx, found, stale, "recovered", checked.checkedAtMs)) {
      await publishIncident(trx, { atMs: nowMs, change: "closed", incident, facts: factsOf(found, checked) });
    }
    return true;
  });
}

function silenceEvent(
  { id, name, version, status, statusSinceMs }: StoredMonitor,
  change: "stale" | "fresh",
  checkedAtMs: number,
  atMs: number,
): EventInit {
  const value = { monitorId: id, name, change, status, previousStatus: status, statusSinceMs };
  return { id: `m${id}:${version}:${checkedAtMs}:${change}`, atMs, fact: { case: "monitor", value } };
}

const minuteMs = 60_000;

/** A duration as words in a cause: minutes, below two of them seconds. */
function inWords(ms: number): string {
  return ms < 2 * minuteMs ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / minuteMs)} min`;
}
