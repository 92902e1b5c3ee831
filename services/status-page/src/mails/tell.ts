import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import { impacts, updateStates } from "@sonde/proto/http/status";
import type { MaintenanceFacts } from "./facts.ts";
import { deleteWaiting, insertMailing, lastDueOf, replaceWaiting } from "./mailing-store.ts";

/** Subscribers are told of the plans of one window so often at most; of its last one in any case. */
const plansEveryMs = 10 * 60_000;
/** A beginning that nobody could tell of for so long is not told any more. */
const begunWithinMs = 3_600_000;

const readImpact = oneOf(impacts, "impact");
const readState = oneOf(updateStates, "state of an announcement");

type Targets = { monitor_ids: number[]; agent_ids: number[] };
type UpdateRow = Targets & { title: string; impact: string; state: string; text: string; at_ms: number };
type WindowRow = Targets & {
  id: number;
  name: string;
  note: string;
  time_zone: string;
  rrule: string;
  from_ms: number;
  to_ms: number;
};

const targetsOf = ({ monitor_ids: monitors, agent_ids: agents }: Targets): string[] => [
  ...monitors.map((id) => `monitor:${id}`),
  ...agents.map((id) => `agent:${id}`),
];

/** Subscribers are to be told of an update, in the transaction that adds it; whoever commits it calls `ctx.mailDue`. */
export async function tellUpdate(
  trx: Database,
  { announcementId, updateId, nowMs }: { announcementId: number; updateId: number; nowMs: number },
): Promise<void> {
  const row = await trx("announcements")
    .join("announcement_updates", "announcement_id", "announcements.id")
    .where({ "announcements.id": announcementId, "announcement_updates.id": updateId })
    .first<UpdateRow | undefined>(
      "title",
      "impact",
      "monitor_ids",
      "agent_ids",
      "announcement_updates.state",
      "text",
      "at_ms",
    );
  if (row === undefined) return;
  await insertMailing(trx, {
    facts: {
      kind: "update",
      announcementId,
      title: row.title,
      impact: readImpact(row.impact),
      state: readState(row.state),
      text: row.text,
      targets: targetsOf(row),
      atMs: row.at_ms,
    },
    subjectKey: `update:${updateId}`,
    about: `announcement:${announcementId}`,
    dueAtMs: nowMs,
    nowMs,
  });
}

/**
 * Subscribers are to be told when a window is, in the transaction that makes it, moves it or deletes it, once its
 * occurrences are written: at once, or ten minutes after they were told of it last. What is not public, or has begun, is
 * not told.
 */
export async function tellPlanned(
  trx: Database,
  { windowId, nowMs }: { windowId: number; nowMs: number },
): Promise<void> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    `select windows.*, from_ms, to_ms from windows join occurrences on window_id = windows.id
     where windows.id = ? and is_public and deleted_at_ms is null and to_ms > ? order by from_ms limit 1`,
    [windowId, Math.round(nowMs)],
  );
  const [row] = rows;
  const about = `window:${windowId}`;
  if (row === undefined || row.from_ms <= nowMs) return deleteWaiting(trx, "maintenance_planned", about);
  const facts = factsOf("maintenance_planned", row);
  if (await replaceWaiting(trx, about, facts, nowMs)) return;
  const lastMs = await lastDueOf(trx, "maintenance_planned", about);
  const dueAtMs = lastMs === null ? nowMs : Math.max(nowMs, Math.min(lastMs, nowMs) + plansEveryMs);
  await insertMailing(trx, { facts, subjectKey: `planned:${windowId}:${dueAtMs}`, about, dueAtMs, nowMs });
}

/** Subscribers are to be told of public maintenance that has begun; of each occurrence once. */
export async function tellBegun(db: Database, nowMs: number): Promise<void> {
  // What goes on with other targets is a new occurrence that begins where the last one ended: nothing began.
  const { rows } = await db.raw<{ rows: WindowRow[] }>(
    `select windows.*, from_ms, to_ms from windows join occurrences on window_id = windows.id
     where is_public and deleted_at_ms is null and from_ms <= :nowMs and from_ms > :sinceMs and to_ms > :nowMs
       and not exists (select from occurrences as before
         where before.window_id = windows.id and before.to_ms = occurrences.from_ms and before.from_ms < before.to_ms)
       and not exists (select from mailings where subject_key = 'begun:' || windows.id || ':' || from_ms)`,
    { nowMs: Math.round(nowMs), sinceMs: Math.round(nowMs - begunWithinMs) },
  );
  for (const row of rows) {
    const told = { subjectKey: `begun:${row.id}:${row.from_ms}`, about: `window:${row.id}`, dueAtMs: nowMs, nowMs };
    await insertMailing(db, { facts: factsOf("maintenance_begun", row), ...told });
  }
}

const factsOf = (kind: MaintenanceFacts["kind"], row: WindowRow): MaintenanceFacts => ({
  kind,
  windowId: row.id,
  name: row.name,
  text: row.note,
  targets: targetsOf(row),
  fromMs: row.from_ms,
  toMs: row.to_ms,
  timeZone: row.time_zone,
  isRecurring: row.rrule !== "",
});
