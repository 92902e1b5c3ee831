import type { Database } from "@sonde/kit/postgres/database";
import type { Impact, UpdateState } from "@sonde/proto/http/status/status";
import type { MaintenanceFacts } from "./facts.ts";
import { deleteWaiting, insertMailing, lastDueOf, replaceWaiting, deleteConfirmations } from "./mailing-store.ts";

/** The shortest time between mails about the plans of one window; the last plan is always mailed. */
const plansEveryMs = 10 * 60_000;
/** The age after which a beginning is no longer mailed. */
const begunWithinMs = 3_600_000;

type Targets = { monitorIds: number[]; agentIds: number[] };
type UpdateRow = Targets & { title: string; impact: Impact; state: UpdateState; text: string; atMs: number };
type WindowRow = Targets & {
  id: number;
  name: string;
  note: string;
  timeZone: string;
  rrule: string;
  fromMs: number;
  toMs: number;
};

const targetsOf = ({ monitorIds, agentIds }: Targets): string[] => [
  ...monitorIds.map((id) => `monitor:${id}`),
  ...agentIds.map((id) => `agent:${id}`),
];

/**
 * Queues a mailing about an update, in the transaction that adds it; the caller calls `ctx.mailDue` after the commit.
 */
export async function queueUpdateMailing(
  trx: Database,
  { announcementId, updateId, nowMs }: { announcementId: number; updateId: number; nowMs: number },
): Promise<void> {
  const row = await trx("announcements")
    .join("announcement_updates", "announcement_id", "announcements.id")
    .where({ "announcements.id": announcementId, "announcement_updates.id": updateId })
    .first<UpdateRow | undefined>(
      "title",
      "impact",
      "monitorIds",
      "agentIds",
      "announcement_updates.state",
      "text",
      "atMs",
    );
  if (row === undefined) return;
  await insertMailing(trx, {
    facts: {
      kind: "update",
      announcementId,
      title: row.title,
      impact: row.impact,
      state: row.state,
      text: row.text,
      targets: targetsOf(row),
      atMs: row.atMs,
    },
    subjectKey: `update:${updateId}`,
    about: `announcement:${announcementId}`,
    dueAtMs: nowMs,
    nowMs,
  });
}

/**
 * Queues a mailing about the dates of a window, in the transaction that adds, moves or deletes it, after its
 * occurrences are written: due at once, or ten minutes after the last one. Windows that are not public, or have begun,
 * are left out.
 */
export async function queuePlannedMailing(
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
  if (row === undefined || row.fromMs <= nowMs) return deleteWaiting(trx, "maintenance_planned", about);
  const facts = factsOf("maintenance_planned", row);
  if (await replaceWaiting(trx, about, facts, nowMs)) return;
  const lastMs = await lastDueOf(trx, "maintenance_planned", about);
  const dueAtMs = lastMs === null ? nowMs : Math.max(nowMs, Math.min(lastMs, nowMs) + plansEveryMs);
  await insertMailing(trx, { facts, subjectKey: `planned:${windowId}:${dueAtMs}`, about, dueAtMs, nowMs });
}

/** Queues mailings about public maintenance that has begun, once per occurrence. */
export async function queueBegunMailings(db: Database, nowMs: number): Promise<void> {
  // A change of targets makes a new occurrence that begins where the last one ended: maintenance did not begin.
  const { rows } = await db.raw<{ rows: WindowRow[] }>(
    `select windows.*, from_ms, to_ms from windows join occurrences on window_id = windows.id
     where is_public and deleted_at_ms is null and from_ms <= :nowMs and from_ms > :sinceMs and to_ms > :nowMs
       and not exists (select from occurrences as before
         where before.window_id = windows.id and before.to_ms = occurrences.from_ms and before.from_ms < before.to_ms)
       and not exists (select from mailings where subject_key = 'begun:' || windows.id || ':' || from_ms)`,
    { nowMs: Math.round(nowMs), sinceMs: Math.round(nowMs - begunWithinMs) },
  );
  for (const row of rows) {
    const told = { subjectKey: `begun:${row.id}:${row.fromMs}`, about: `window:${row.id}`, dueAtMs: nowMs, nowMs };
    await insertMailing(db, { facts: factsOf("maintenance_begun", row), ...told });
  }
}

const factsOf = (kind: MaintenanceFacts["kind"], row: WindowRow): MaintenanceFacts => ({
  kind,
  windowId: row.id,
  name: row.name,
  text: row.note,
  targets: targetsOf(row),
  fromMs: row.fromMs,
  toMs: row.toMs,
  timeZone: row.timeZone,
  isRecurring: row.rrule !== "",
});

/** Queues a confirmation mail for a subscriber; an earlier mail's link becomes invalid. */
export async function addConfirmation(
  trx: Database,
  { subscriberId, services, nowMs }: { subscriberId: number; services: readonly string[]; nowMs: number },
): Promise<void> {
  const about = `subscriber:${subscriberId}`;
  await deleteConfirmations(trx, about);
  await insertMailing(trx, {
    facts: { kind: "confirmation", subscriberId, targets: [...services] },
    subjectKey: `confirmation:${subscriberId}:${nowMs}`,
    about,
    dueAtMs: nowMs,
    nowMs,
  });
}
