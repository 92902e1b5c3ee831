import type { Database } from "@sonde/kit/postgres/database";
import type { TimeSpan } from "./schedule.ts";
import type { WindowTargets } from "./store.ts";

/** When a window covers, or covered, what. */
export type Occurrence = TimeSpan & WindowTargets;

type Row = Occurrence & { windowId: number };

/** The one that contains an instant. */
export const runningOccurrence = (trx: Database, id: number, nowMs: number): Promise<Occurrence | undefined> =>
  trx("occurrences")
    .where({ windowId: id })
    .where("fromMs", "<=", nowMs)
    .where("toMs", ">", nowMs)
    .orderBy("fromMs", "desc")
    .first<Occurrence | undefined>();

/** Adds occurrences; one that begins when another of the window does is left out. */
export async function addOccurrences(
  trx: Database,
  id: number,
  { monitorIds, agentIds }: WindowTargets,
  spans: readonly TimeSpan[],
): Promise<void> {
  const rows = spans.map(({ fromMs, toMs }) => ({ windowId: id, fromMs, toMs, monitorIds, agentIds }));
  if (rows.length > 0) await trx("occurrences").insert(rows).onConflict(["windowId", "fromMs"]).ignore();
}

/** Deletes those that have not begun. */
export async function dropAhead(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("occurrences").where({ windowId: id }).where("fromMs", ">", nowMs).delete();
}

/** Lets what runs end at another instant, now at the earliest; what ends as it begins never was. */
export async function endRunning(trx: Database, id: number, nowMs: number, toMs: number): Promise<void> {
  const running = () =>
    trx("occurrences").where({ windowId: id }).where("fromMs", "<=", nowMs).where("toMs", ">", nowMs);
  await running().where("fromMs", ">=", toMs).delete();
  await running().update({ toMs });
}

/** Those of windows that end after an instant, by their beginning. */
export async function occurrencesOf(
  db: Database,
  ids: readonly number[],
  sinceMs: number,
): Promise<Map<number, Occurrence[]>> {
  const rows = await db<Row>("occurrences")
    .whereRaw("window_id = any(?)", [[...ids]])
    .where("toMs", ">", sinceMs)
    .orderBy(["windowId", "fromMs"]);
  const found = new Map<number, Occurrence[]>(ids.map((id) => [id, []]));
  for (const row of rows) found.get(row.windowId)?.push(row);
  return found;
}
