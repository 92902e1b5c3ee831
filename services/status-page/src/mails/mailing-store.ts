import type { Database } from "@sonde/kit/postgres/database";
import type { MailFacts, PreparedFacts } from "./facts.ts";

/** A mailing that is to be prepared, or that does not have a row for each of its recipients yet. */
export type DueMailing = { id: number; facts: MailFacts | PreparedFacts; isPrepared: boolean; createdAtMs: number };

type NewMailing = {
  facts: MailFacts;
  /** Identifies its content, so that it is sent once. */
  subjectKey: string;
  /** Its subject: `window:3`. */
  about: string;
  dueAtMs: number;
  nowMs: number;
};

/** Adds a mailing, unless one with the same subject key exists. */
export async function insertMailing(trx: Database, mailing: NewMailing): Promise<void> {
  const { facts, subjectKey, about, dueAtMs, nowMs } = mailing;
  await trx("mailings")
    .insert({
      kind: facts.kind,
      subject_key: subjectKey,
      about,
      facts: JSON.stringify(facts),
      due_at_ms: Math.round(dueAtMs),
      created_at_ms: Math.round(nowMs),
    })
    .onConflict("subject_key")
    .ignore();
}

/** When the last mailing of this kind about a subject was, or is to be, sent. */
export async function lastDueOf(trx: Database, kind: MailFacts["kind"], about: string): Promise<number | null> {
  const row = await trx("mailings").where({ kind, about }).max<{ max: number | null }>("due_at_ms as max").first();
  return row?.max ?? null;
}

/** Replaces the facts of a waiting mailing; returns whether there was one. */
export async function replaceWaiting(trx: Database, about: string, facts: MailFacts, nowMs: number): Promise<boolean> {
  const changed = await trx("mailings")
    .where({ kind: facts.kind, about, is_prepared: false })
    .where("due_at_ms", ">", nowMs)
    .update({ facts: JSON.stringify(facts) });
  return changed > 0;
}

export const deleteMailing = async (db: Database, id: number): Promise<void> =>
  void (await db("mailings").where({ id }).delete());

/** Deletes waiting mailings of this kind about a subject. */
export const deleteWaiting = async (trx: Database, kind: MailFacts["kind"], about: string): Promise<void> =>
  void (await trx("mailings").where({ kind, about, is_prepared: false }).delete());

/** Deletes unsent mailings about something that was deleted. */
export const deleteAllOf = async (trx: Database, about: string): Promise<void> =>
  void (await trx("mailings").where({ about }).delete());

/** Confirmations that an address was sent, or is to be sent: only the newest counts. */
export const deleteConfirmations = async (trx: Database, about: string): Promise<void> =>
  void (await trx("mailings").where({ kind: "confirmation", about }).delete());

/** The next that is due, confirmations last. */
export async function nextDueMailing(db: Database, nowMs: number): Promise<DueMailing | undefined> {
  return db("mailings")
    .whereNotNull("fanned_out_to")
    .where("due_at_ms", "<=", nowMs)
    .orderByRaw("kind = 'confirmation', id")
    .first<DueMailing | undefined>("id", "facts", "isPrepared", "createdAtMs");
}

/** The first process to prepare a mailing decides its content. */
export async function savePrepared(db: Database, id: number, facts: PreparedFacts): Promise<void> {
  await db("mailings")
    .where({ id, is_prepared: false })
    .update({ facts: JSON.stringify(facts), is_prepared: true });
}

export const postpone = async (db: Database, id: number, dueAtMs: number): Promise<void> =>
  void (await db("mailings")
    .where({ id })
    .update({ due_at_ms: Math.round(dueAtMs) }));

/** How many confirmations have not been sent yet. */
export async function countUnsentConfirmations(db: Database): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `select (select count(*) from mails where status = 'pending' and rank <> 1)
       + (select count(*) from mailings where fanned_out_to is not null and kind = 'confirmation') as count`,
  );
  return rows[0]?.count ?? 0;
}
