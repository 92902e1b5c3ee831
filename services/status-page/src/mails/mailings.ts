import type { Database } from "@sonde/kit/postgres/database";
import type { Impact, UpdateState } from "@sonde/proto/http/status/status";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import { keyOf, targetsOf } from "../collect/targets.ts";

/** Minimum time between mails about the dates of one window. The latest dates are always mailed. */
const plansEveryMs = 10 * 60_000;
/** After this time, the start of maintenance is no longer mailed. */
const begunWithinMs = 3_600_000;

/** Runs in the transaction that adds the update. The caller calls `ctx.mailDue` after the commit. */
export async function queueUpdateMailing(
  trx: Database,
  { announcementId, updateId, nowMs }: { announcementId: number; updateId: number; nowMs: number },
): Promise<void> {
  type Row = Pick<UpdateFacts, "title" | "impact" | "state" | "text" | "atMs" | "pages"> & TargetIds;
  const row = await trx("announcements")
    .join("announcement_updates", "announcement_id", "announcements.id")
    .where({ "announcements.id": announcementId, "announcement_updates.id": updateId })
    .first<Row | undefined>(
      "title",
      "impact",
      "monitorIds",
      "agentIds",
      "pages",
      "announcement_updates.state",
      "text",
      "atMs",
    );
  if (row === undefined) return;
  const { monitorIds, agentIds, ...facts } = row;
  for (const page of await mailedPages(trx, facts.pages)) {
    await insertMailing(trx, {
      page,
      facts: { kind: "update", announcementId, targets: keysOf({ monitorIds, agentIds }), ...facts },
      subjectKey: `update:${updateId}`,
      about: `announcement:${announcementId}`,
      dueAtMs: nowMs,
      nowMs,
    });
  }
}

/** Returns pages with subscribers. The fan-out checks whether a page shows the subject. */
async function mailedPages(db: Database, named: readonly string[] | null | undefined): Promise<string[]> {
  const rows = await db("pages")
    .whereRaw("config->'subscriptions'->>'enabled' = 'true'")
    .select<{ slug: string }[]>("slug");
  const slugs = new Set([defaultSlug, ...rows.map(({ slug }) => slug)]);
  return [...slugs].filter((slug) => named == null || named.includes(slug));
}

/**
 * Queues a mailing about the dates of a window, in the transaction that adds, moves or deletes it, after its
 * occurrences are stored. It is due now, or ten minutes after the last one. Windows that are not public or have begun
 * are skipped.
 */
export async function queuePlannedMailing(
  trx: Database,
  { windowId, nowMs }: { windowId: number; nowMs: number },
): Promise<void> {
  const { rows } = await trx.raw<{ rows: WindowRow[] }>(
    `select windows.*, occurrences.monitor_ids, occurrences.agent_ids, from_ms, to_ms from windows join occurrences on window_id = windows.id
     where windows.id = ? and is_public and deleted_at_ms is null and to_ms > ? order by from_ms limit 1`,
    [windowId, Math.round(nowMs)],
  );
  const [row] = rows;
  const kind = "maintenance_planned";
  const about = `window:${windowId}`;
  const all = () => trx("mailings").where({ kind, about });
  if (row === undefined || row.fromMs <= nowMs) return void (await all().where({ isPrepared: false }).delete());
  const facts = factsOf(kind, row);
  for (const page of await mailedPages(trx, row.pages)) {
    const plans = () => all().where({ page });
    const waiting = plans().where({ isPrepared: false }).where("dueAtMs", ">", nowMs);
    if ((await waiting.update({ facts: JSON.stringify(facts) })) > 0) continue;
    const last = await plans().max<{ dueAtMs: number | null }>("dueAtMs as dueAtMs").first();
    const lastMs = last?.dueAtMs ?? null;
    const dueAtMs = lastMs === null ? nowMs : Math.max(nowMs, Math.min(lastMs, nowMs) + plansEveryMs);
    await insertMailing(trx, { page, facts, subjectKey: `planned:${windowId}:${dueAtMs}`, about, dueAtMs, nowMs });
  }
}

export async function queueBegunMailings(db: Database, nowMs: number): Promise<void> {
  // A change of targets creates a new occurrence that begins when the previous one ended, which is not a start of
  // maintenance.
  for (const page of await mailedPages(db, null)) {
    const { rows } = await db.raw<{ rows: WindowRow[] }>(
      `select windows.*, occurrences.monitor_ids, occurrences.agent_ids, from_ms, to_ms from windows join occurrences on window_id = windows.id
     where is_public and deleted_at_ms is null and from_ms <= :nowMs and from_ms > :sinceMs and to_ms > :nowMs
       and (pages is null or :page = any(pages))
       and not exists (select from occurrences as before
         where before.window_id = windows.id and before.to_ms = occurrences.from_ms and before.from_ms < before.to_ms)
       and not exists (select from mailings where subject_key = 'begun:' || windows.id || ':' || from_ms || :suffix)`,
      { nowMs: Math.round(nowMs), sinceMs: Math.round(nowMs - begunWithinMs), page, suffix: suffixOf(page) },
    );
    for (const row of rows) {
      const subject = { subjectKey: `begun:${row.id}:${row.fromMs}`, about: `window:${row.id}` };
      await insertMailing(db, { page, facts: factsOf("maintenance_begun", row), ...subject, dueAtMs: nowMs, nowMs });
    }
  }
}

/** Empty for the default page, for compatibility with the previous version. */
const suffixOf = (page: string): string => (page === defaultSlug ? "" : `@${page}`);

type TargetIds = { monitorIds: number[]; agentIds: number[] };
const keysOf = ({ monitorIds, agentIds }: TargetIds): string[] => targetsOf(monitorIds, agentIds).map(keyOf);

type WindowRow = Pick<MaintenanceFacts, "name" | "fromMs" | "toMs" | "timeZone"> &
  TargetIds & { id: number; note: string; rrule: string; pages: string[] | null };

const factsOf = (kind: MaintenanceFacts["kind"], row: WindowRow): MaintenanceFacts => ({
  kind,
  windowId: row.id,
  name: row.name,
  text: row.note,
  targets: keysOf(row),
  fromMs: row.fromMs,
  toMs: row.toMs,
  timeZone: row.timeZone,
  isRecurring: row.rrule !== "",
  pages: row.pages,
});

/** Queues a confirmation mail for a subscriber; an earlier mail's link becomes invalid. */
export async function queueConfirmation(
  trx: Database,
  {
    page,
    subscriberId,
    services,
    nowMs,
  }: { page: string; subscriberId: number; services: readonly string[]; nowMs: number },
): Promise<void> {
  const about = `subscriber:${subscriberId}`;
  await deleteAllOf(trx, about);
  await insertMailing(trx, {
    page,
    facts: { kind: "confirmation", subscriberId, targets: [...services] },
    subjectKey: `confirmation:${subscriberId}:${nowMs}`,
    about,
    dueAtMs: nowMs,
    nowMs,
  });
}

type NewMailing = {
  page: string;
  facts: MailFacts;
  subjectKey: string;
  /** The subject: `window:3`. */
  about: string;
  dueAtMs: number;
  nowMs: number;
};

async function insertMailing(
  trx: Database,
  { page, facts, subjectKey, about, dueAtMs, nowMs }: NewMailing,
): Promise<void> {
  const times = { dueAtMs: Math.round(dueAtMs), createdAtMs: Math.round(nowMs) };
  await trx("mailings")
    .insert({
      page,
      kind: facts.kind,
      subjectKey: subjectKey + suffixOf(page),
      about,
      facts: JSON.stringify(facts),
      ...times,
    })
    .onConflict("subjectKey")
    .ignore();
}

export const deleteAllOf = async (trx: Database, about: string): Promise<void> =>
  void (await trx("mailings").where({ about }).delete());

/** Counts confirmations that the notifier does not have yet. It accepts none while many are queued. */
export async function countWaitingConfirmations(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select (select count(*) from mails where rank <> 1 and handed_to = 0)
       + (select count(*) from mailings where fanned_out_to is not null and kind = 'confirmation') as count`,
  );
  return rows[0]?.count ?? 0;
}

/** Content of a mailing at the time it was queued. Instants are epoch milliseconds. */
export type UpdateFacts = {
  kind: "update";
  announcementId: number;
  title: string;
  impact: Impact;
  state: UpdateState;
  /** Markdown. */
  text: string;
  /** `monitor:12`, including targets that the page does not show. */
  targets: string[];
  pages?: string[] | null;
  atMs: number;
};
export type MaintenanceFacts = {
  kind: "maintenance_planned" | "maintenance_begun";
  windowId: number;
  name: string;
  /** Markdown, or empty. */
  text: string;
  targets: string[];
  fromMs: number;
  toMs: number;
  /** IANA. */
  timeZone: string;
  isRecurring: boolean;
  pages?: string[] | null;
};
/** Empty `targets`: everything on the page. */
type ConfirmationFacts = { kind: "confirmation"; subscriberId: number; targets: string[] };
export type MailFacts = UpdateFacts | MaintenanceFacts | ConfirmationFacts;

/** Added once, so each attempt at a mail has the same text. */
export type MailPreparation = {
  pageTitle: string;
  /** The targets that the page shows, which decide who gets the mail. */
  shown: string[];
  names: string[];
  /** The text without markup, and as safe HTML. */
  plain: string;
  html: string;
};
export type PreparedFacts = MailFacts & MailPreparation;
