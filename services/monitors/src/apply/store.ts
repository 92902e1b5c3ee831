import type { Database } from "@sonde/kit/postgres/database";
import { enqueueEvents, enqueueKeys } from "@sonde/kit/postgres/outbox";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { type Definition, nextState, type StoredMonitor } from "../monitors/monitor.ts";
import { changeEvent } from "../monitors/monitors.ts";
import { monitorKeys } from "../monitors/projections.ts";
import { columnsOf } from "../monitors/store.ts";

const living = (db: Database) => db("monitors").whereNull("deletedAtMs").orderBy("id");

export async function findMonitors(db: Database, ids: readonly number[]): Promise<Map<number, StoredMonitor>> {
  if (ids.length === 0) return new Map();
  const rows = await living(db)
    .whereRaw("id = any(?::int[])", [[...ids]])
    .select<StoredMonitor[]>();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Monitors of these targets, the oldest first. */
export function findByTarget(
  db: Database,
  targets: readonly string[],
): Promise<{ id: number; name: string; target: string; type: CheckType }[]> {
  return living(db)
    .whereRaw("target = any(?::text[])", [[...targets]])
    .select<{ id: number; name: string; target: string; type: CheckType }[]>(
      "id",
      "name",
      "target",
      db.raw("config->>'type' as type"),
    );
}

/** Ids that are unused and will not be assigned otherwise. */
export async function reserveIds(db: Database, count: number): Promise<number[]> {
  const { rows } = await db.raw<{ rows: { id: number }[] }>(
    "select nextval(pg_get_serial_sequence('monitors', 'id'))::int as id from generate_series(1, ?)",
    [count],
  );
  return rows.map(({ id }) => id);
}

/** As many rows as one statement writes. */
const chunkRows = 100;
export const chunks = <Row>(rows: readonly Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, at) =>
    rows.slice(at * chunkRows, (at + 1) * chunkRows),
  );

/**
 * Writes new monitors under reserved ids with all dependent rows, as `writeMonitor` does for one: state, due times of
 * slots, events, and the keys that runners and metrics read.
 */
export async function insertMonitors(
  trx: Database,
  given: readonly { id: number; definition: Definition; paused: boolean }[],
  atMs: number,
): Promise<StoredMonitor[]> {
  const monitors: StoredMonitor[] = [];
  for (const chunk of chunks(given)) monitors.push(...(await insertChunk(trx, chunk, atMs)));
  return monitors;
}

async function insertChunk(trx: Database, given: Parameters<typeof insertMonitors>[1], atMs: number) {
  const rows = given.map(({ id, definition, paused }) => {
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
