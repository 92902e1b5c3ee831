import type { Database } from "@sonde/kit/postgres/database";
import type { TimeSpan } from "./schedule.ts";
import type { WindowTargets } from "./window.ts";

/** When a window covers, or covered, what. */
export type Occurrence = TimeSpan & WindowTargets;

type Row = { window_id: number; from_ms: number; to_ms: number; monitor_ids: number[]; agent_ids: number[] };

/** The one that contains an instant. */
export async function runningOccurrence(trx: Database, id: number, nowMs: number): Promise<Occurrence | undefined> {
  const row = await trx<Row>("occurrences")
    .where({ window_id: id })
    .where("from_ms", "<=", nowMs)
    .where("to_ms", ">", nowMs)
    .orderBy("from_ms", "desc")
    .first();
  return row && readOccurrence(row);
}

/** Adds occurrences; one that begins when another of the window does is left out. */
export async function addOccurrences(
  trx: Database,
  id: number,
  { monitorIds, agentIds }: WindowTargets,
  spans: readonly TimeSpan[],
): Promise<void> {
  const rows = spans.map(({ fromMs, toMs }) => ({
    window_id: id,
    from_ms: fromMs,
    to_ms: toMs,
    monitor_ids: monitorIds,
    agent_ids: agentIds,
  }));
  if (rows.length > 0) await trx("occurrences").insert(rows).onConflict(["window_id", "from_ms"]).ignore();
}

/** Deletes those that have not begun. */
export async function dropAhead(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("occurrences").where({ window_id: id }).where("from_ms", ">", nowMs).delete();
}

/** Lets what runs end at another instant, now at the earliest; what ends as it begins never was. */
export async function endRunning(trx: Database, id: number, nowMs: number, toMs: number): Promise<void> {
  const running = () =>
    trx("occurrences").where({ window_id: id }).where("from_ms", "<=", nowMs).where("to_ms", ">", nowMs);
  await running().where("from_ms", ">=", toMs).delete();
  await running().update({ to_ms: toMs });
}

/** Those of windows that end after an instant, by their beginning. */
export async function occurrencesOf(
  db: Database,
  ids: readonly number[],
  sinceMs: number,
): Promise<Map<number, Occurrence[]>> {
  const rows = await db<Row>("occurrences")
    .whereRaw("window_id = any(?)", [[...ids]])
    .where("to_ms", ">", sinceMs)
    .orderBy(["window_id", "from_ms"]);
  const found = new Map<number, Occurrence[]>(ids.map((id) => [id, []]));
  for (const row of rows) found.get(row.window_id)?.push(readOccurrence(row));
  return found;
}

export const readOccurrence = (row: Omit<Row, "window_id">): Occurrence => ({
  fromMs: row.from_ms,
  toMs: row.to_ms,
  monitorIds: row.monitor_ids,
  agentIds: row.agent_ids,
});
