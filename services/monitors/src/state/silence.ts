import { createIncidentEvent, publishIncident } from "@sonde/domain/incidents/store";
import type { StreamMark } from "@sonde/kit/partitions/saving";
import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvent, enqueueEvents, type EventInit } from "@sonde/kit/postgres/outbox";
import { factsOf, incidents, stale } from "../incidents/facts.ts";
import type { StoredMonitor } from "../monitors/monitor.ts";
import { describedColumns } from "../monitors/store.ts";
import { openSilentLocation } from "./silent-locations.ts";
import type { TrackedMonitor } from "./tracked.ts";

/** `isOwn`: the silence is the monitor's, not that of its locations. */
export type SilentMonitor = { monitor: TrackedMonitor; lastCheckedAtMs: number; isOwn: boolean };

/**
 * Records each silence once and opens an incident for the monitor or its locations, in one transaction. Returns false
 * for a monitor if it was recorded before, its version changed, or another owner read further and changed it.
 * @param read Stream position up to which this was decided, so that reading it again does not end the silence; `null`
 * before the first result.
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
      const cause = `No results for ${formatDuration(nowMs - lastCheckedAtMs)}`;
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

/** Skips rows that changed since the decision. */
async function markStale(
  trx: Database,
  silent: readonly SilentMonitor[],
  read: StreamMark | null,
  nowMs: number,
): Promise<Map<number, StoredMonitor>> {
  const ids = silent.map(({ monitor: { id } }) => id);
  // Locked in order of id, so that two owners of the same monitors cannot deadlock.
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
      // These were reported with their location, which is now served.
      own: silent.filter(({ isOwn }) => isOwn).map(({ monitor: { id } }) => id),
      stream: read?.stream ?? null,
      mark: read?.mark ?? null,
      nowMs: Math.round(nowMs),
    },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Ends the silence and closes its incident, so that the next silence is reported. */
export async function commitFresh(
  db: Database,
  monitor: TrackedMonitor,
  checked: { checkedAtMs: number; responseTimeMs: number; statusCode?: number },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [row] = await trx("monitors")
      .where({ id: monitor.id, version: monitor.version })
      .whereNotNull("staleSinceMs")
      .whereNull("deletedAtMs")
      .update({ staleSinceMs: null })
      .returning<StoredMonitor[]>(trx.raw(describedColumns));
    if (row === undefined) return false;
    await enqueueEvent(trx, silenceEvent(row, "fresh", checked.checkedAtMs, nowMs));
    for (const incident of await incidents.close(trx, row, stale, "recovered", checked.checkedAtMs)) {
      await publishIncident(trx, { atMs: nowMs, change: "closed", incident, facts: factsOf(row, checked) });
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

function formatDuration(ms: number): string {
  return ms < 2 * minuteMs ? `${Math.max(0, Math.round(ms / 1_000))} s` : `${Math.round(ms / minuteMs)} min`;
}
