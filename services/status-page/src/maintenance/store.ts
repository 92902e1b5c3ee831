import type { Database } from "@sonde/kit/postgres/database";
import { enqueueKey } from "@sonde/kit/postgres/outbox";
import { buckets } from "@sonde/proto/streams";
import type { TimeSpan } from "./schedule.ts";

/** Serialises adding and moving windows. A table lock would also wait for, and block, changes of one window. */
export const lockWindows = (trx: Database) =>
  trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' windows', 0))");

export const lockWindow = (trx: Database, id: number): Promise<Window | undefined> => findWindow(trx, id).forUpdate();

export const findWindow = (db: Database, id: number) =>
  db("windows").where({ id, isSilence: false }).whereNull("deleted_at_ms").first<Window | undefined>();

export async function countUnended(trx: Database, nowMs: number, exceptId = 0): Promise<number> {
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select count(*) from windows where deleted_at_ms is null and id <> :exceptId
     and exists (select from occurrences where window_id = windows.id and to_ms > :nowMs)`,
    { nowMs, exceptId },
  );
  return rows[0]?.count ?? 0;
}

export async function insertWindow(trx: Database, fields: WindowFields, nowMs: number): Promise<number> {
  const row = { ...fields, revision: nextRevision(trx), createdAtMs: nowMs, updatedAtMs: nowMs };
  const [inserted] = await trx("windows").insert(row).returning<{ id: number }[]>("id");
  return inserted?.id ?? 0;
}

export async function updateWindow(
  trx: Database,
  id: number,
  changes: Partial<WindowFields>,
  nowMs: number,
): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ ...changes, updatedAtMs: nowMs });
}

/** Stores up to when occurrences are complete, and publishes them in the bucket. */
export async function occurrencesChanged(trx: Database, id: number, plannedUntilMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ planned_until_ms: plannedUntilMs, revision: nextRevision(trx) });
  await enqueueKey(trx, buckets.maintenance, String(id));
}

/** Reduces a window to what it covered. */
export async function tombstoneWindow(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("windows")
    .where({ id })
    .update({ name: "", note: "", tags: [], is_public: false, deleted_at_ms: nowMs, updated_at_ms: nowMs });
}

export const nextRevision = (trx: Database) => trx.raw("nextval('revisions')");

export type WindowTargets = { monitorIds: number[]; agentIds: number[] };

/** Targets of a window's tags. */
export type Tagged = { taggedMonitorIds: number[]; taggedAgentIds: number[] };

export const coveredBy = (window: WindowTargets & Tagged): WindowTargets => ({
  monitorIds: [...new Set([...window.monitorIds, ...window.taggedMonitorIds])],
  agentIds: [...new Set([...window.agentIds, ...window.taggedAgentIds])],
});

export const sameTargets = (one: WindowTargets, other: WindowTargets): boolean =>
  sameIds(one.monitorIds, other.monitorIds) && sameIds(one.agentIds, other.agentIds);

const sameIds = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && new Set(one).isSubsetOf(new Set(other));

export type WindowFields = WindowTargets &
  Tagged & {
    tags: string[];
    name: string;
    /** Markdown, or empty. */
    note: string;
    /** Start of the first occurrence in epoch milliseconds. */
    startMs: number;
    endMs: number;
    timeZone: string;
    /** Empty for a single occurrence. */
    rrule: string;
    isPublic: boolean;
    /** Slugs, or `null` for the pages that show one of its targets. */
    pages: string[] | null;
  };

export type Window = WindowFields & {
  id: number;
  revision: number;
  /** Up to when its occurrences are stored, by their start. */
  plannedUntilMs: number;
  createdAtMs: number;
  updatedAtMs: number;
};

export type Occurrence = TimeSpan & WindowTargets;

const running = (trx: Database, id: number, nowMs: number) =>
  trx("occurrences").where({ windowId: id }).where("fromMs", "<=", nowMs).where("toMs", ">", nowMs);

export const runningOccurrence = (trx: Database, id: number, nowMs: number): Promise<Occurrence | undefined> =>
  running(trx, id, nowMs).orderBy("fromMs", "desc").first<Occurrence | undefined>();

/** Adds occurrences, except where the window already has one with that start. */
export async function addOccurrences(
  trx: Database,
  id: number,
  { monitorIds, agentIds }: WindowTargets,
  spans: readonly TimeSpan[],
): Promise<void> {
  const rows = spans.map(({ fromMs, toMs }) => ({ windowId: id, fromMs, toMs, monitorIds, agentIds }));
  if (rows.length > 0) await trx("occurrences").insert(rows).onConflict(["windowId", "fromMs"]).ignore();
}

export async function dropAhead(trx: Database, id: number, nowMs: number): Promise<void> {
  await trx("occurrences").where({ windowId: id }).where("fromMs", ">", nowMs).delete();
}

/** Moves the end of the running occurrence, at the earliest to now. One that would end when it began is deleted. */
export async function endRunning(trx: Database, id: number, nowMs: number, toMs: number): Promise<void> {
  await running(trx, id, nowMs).where("fromMs", ">=", toMs).delete();
  await running(trx, id, nowMs).update({ toMs });
}

export const occurrencesOf = (
  db: Database,
  ids: readonly number[],
  sinceMs: number,
): Promise<(Occurrence & { windowId: number })[]> =>
  db("occurrences")
    .whereRaw("window_id = any(?)", [[...ids]])
    .where("toMs", ">", sinceMs)
    .orderBy(["windowId", "fromMs"]);
