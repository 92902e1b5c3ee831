import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvents, enqueueKeys } from "@sonde/kit/postgres/outbox";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { type Definition, nextState, type StoredMonitor } from "../monitors/monitor.ts";
import { changeEvent } from "../monitors/monitors.ts";
import { monitorKeys } from "../monitors/projections.ts";
import { columnsOf } from "../monitors/store.ts";

/** A monitor with the id that was reserved for it. */
export type ImportedMonitor = { id: number; definition: Definition; paused: boolean };

/** Monitors of these names, the oldest first. */
export function findByName(
  db: Database,
  names: readonly string[],
): Promise<Pick<StoredMonitor, "id" | "name" | "target">[]> {
  return db("monitors")
    .whereRaw("name = any(?)", [[...names]])
    .whereNull("deletedAtMs")
    .orderBy("id")
    .select<Pick<StoredMonitor, "id" | "name" | "target">[]>("id", "name", "target");
}

/** Ids that are unused and will not be assigned otherwise. */
export async function reserveIds(db: Database, count: number): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { id: number }[] }>(
    "select nextval(pg_get_serial_sequence('monitors', 'id'))::int as id from generate_series(1, ?)",
    [count],
  );
  return rows.map(({ id }) => id);
}

/** Which of these ids a monitor has, or had. */
export const takenIds = (trx: Database, ids: readonly number[]): Promise<number[]> =>
  trx("monitors")
    .whereRaw("id = any(?)", [[...ids]])
    .pluck<number[]>("id");

/**
 * Writes some new monitors with all dependent rows, as `writeMonitor` does for one: state, due times of slots, events,
 * and the keys that runners and metrics read.
 */
export async function insertImported(
  trx: Database,
  imported: readonly ImportedMonitor[],
  atMs: number,
): Promise<StoredMonitor[]> {
  const rows = imported.map(({ id, definition, paused }) => {
    const state = nextState(null, definition, paused, atMs);
    return { ...columnsOf(definition, state), id, revision: trx.raw("nextval('revisions')") };
  });
  const monitors = await trx("monitors").insert(rows).returning<StoredMonitor[]>("*");
  await trx("timeline_spans").insert(monitors.map((monitor) => firstSpan(monitor, atMs)));
  await enqueueEvents(
    trx,
    monitors.map((monitor) => changeEvent(monitor, "created", null, atMs)),
  );
  await enqueueKeys(
    trx,
    monitors.flatMap(({ id, locations }) => monitorKeys(id, locations)),
  );
  return monitors;
}

/** The newest slot of one that is active is due at once. */
function firstSpan({ id, intervalMs, locations, status }: StoredMonitor, atMs: number) {
  const active = status !== "paused";
  const fromMs = active ? slotAtOrBefore(id, intervalMs, atMs) : atMs;
  return { monitorId: id, intervalMs, locations, active, fromMs };
}
