import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import type { PreparedFacts } from "./facts.ts";

const giveUpMs = 24 * 3_600_000;

/**
 * Adds rows for the next recipients of a mailing and stores its progress, in one transaction. A confirmation has one
 * recipient; all other mailings are sent to those that had confirmed when it was made and had subscribed to one of its
 * targets or to everything. Returns false if another process does it at the moment.
 */
export async function addMails(
  db: Database,
  { mailingId, limit, nowMs }: { mailingId: number; limit: number; nowMs: number },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const mailing = await trx("mailings")
      .where({ id: mailingId, is_prepared: true })
      .whereNotNull("fanned_out_to")
      .forUpdate()
      .skipLocked()
      .first<{ facts: PreparedFacts; fannedOutTo: number; createdAtMs: number } | undefined>();
    if (mailing === undefined) return false;
    const { facts, fannedOutTo: after, createdAtMs: madeAtMs } = mailing;
    const times = { nowMs: Math.round(nowMs), givesUpAtMs: Math.round(nowMs + giveUpMs) };
    if (facts.kind === "confirmation") {
      await trx.raw(
        `insert into mails (mailing_id, subscriber_id, rank, status, due_at_ms, gives_up_at_ms)
         select :mailingId, id, 2, 'pending', :nowMs, :givesUpAtMs from subscribers where id = :id
         on conflict do nothing`,
        { mailingId, id: facts.subscriberId, ...times },
      );
      await trx("mailings").where({ id: mailingId }).update({ fanned_out_to: null });
      return true;
    }
    const { rows } = await trx.raw<{ rows: { last: number | null }[] }>(
      `with next as (
         select id, services from subscribers
         where id > :after and confirmed_at_ms <= :madeAtMs order by id limit :limit
       ), made as (
         insert into mails (mailing_id, subscriber_id, rank, status, due_at_ms, gives_up_at_ms)
         select :mailingId, id, 1, 'pending', :nowMs, :givesUpAtMs from next
         where services = '{}' or services && :shown::text[]
         on conflict do nothing
       )
       select max(id) as last from next`,
      { mailingId, after, madeAtMs, limit, shown: facts.shown, ...times },
    );
    await trx("mailings")
      .where({ id: mailingId })
      .update({ fanned_out_to: rows[0]?.last ?? null });
    return true;
  });
}

/** A mail that this process sends. */
export type ClaimedMail = {
  id: number;
  key: string;
  claims: number;
  failures: number;
  givesUpAtMs: number;
  facts: PreparedFacts;
  subscriberId: number;
  email: string;
  language: Language;
  confirmSalt: Buffer;
  unsubscribeSalt: Buffer;
};

/**
 * Claims due mails, confirmations last, since anonymous visitors can request many of those. One without an outcome by
 * `lostAtMs` is due again.
 */
export async function claimMails(
  db: Database,
  { limit, nowMs, lostAtMs }: { limit: number; nowMs: number; lostAtMs: number },
): Promise<ClaimedMail[]> {
  const { rows } = await db.raw<{ rows: ClaimedMail[] }>(
    `with taken as (
       update mails set claims = claims + 1, due_at_ms = :lostAtMs
       where id in (
         select id from mails where status = 'pending' and due_at_ms <= :nowMs and gives_up_at_ms > :nowMs
         order by rank, due_at_ms limit :limit for update skip locked
       )
       returning *
     )
     select taken.id, taken.key, claims, failures, gives_up_at_ms, facts, subscriber_id, email, language, confirm_salt,
       unsubscribe_salt
     from taken join mailings on mailings.id = mailing_id join subscribers on subscribers.id = subscriber_id
     order by rank, taken.id`,
    { limit, nowMs: Math.round(nowMs), lostAtMs: Math.round(lostAtMs) },
  );
  return rows;
}

export type MailResult = {
  status: "pending" | "delivered" | "failed";
  /** Of a pending one. */
  dueAtMs: number;
  failures: number;
  answer: string;
};

/**
 * Records the outcome of an attempt. It is ignored if the mail was claimed again meanwhile, unless it was delivered:
 * that is true in any case.
 */
export async function recordEnding(db: Database, { id, claims }: ClaimedMail, ending: MailResult): Promise<void> {
  const { status, dueAtMs, failures, answer } = ending;
  await db("mails")
    .where({ id, status: "pending" })
    .where((mine) => void mine.where({ claims }).orWhereRaw("? = 'delivered'", [status]))
    .update({ status, due_at_ms: Math.round(dueAtMs), failures, answer });
}

/** Fails mails that were retried for too long; `all`: all waiting ones. Returns how many. */
export async function failOverdue(
  db: Database,
  { nowMs, answer, all = false }: { nowMs: number; answer: string; all?: boolean },
): Promise<number> {
  const waiting = db("mails").where({ status: "pending" });
  if (!all) void waiting.where("gives_up_at_ms", "<=", nowMs);
  return waiting.update({ status: "failed", answer });
}

/**
 * Tokens are derived from the key of this installation: after a change of key their hashes are renewed. A subscriber
 * who requested a confirmation since the mail was claimed has another token, which stays.
 */
export async function renewHashes(
  db: Database,
  { subscriberId, confirmSalt, unsubscribeSalt }: ClaimedMail,
  { confirm, unsubscribe }: { confirm: Buffer; unsubscribe: Buffer },
): Promise<void> {
  await db("subscribers")
    .where({ id: subscriberId, confirm_salt: confirmSalt, unsubscribe_salt: unsubscribeSalt })
    .whereRaw("(confirm_hash, unsubscribe_hash) is distinct from (?::bytea, ?::bytea)", [confirm, unsubscribe])
    .update({
      confirm_hash: confirm,
      unsubscribe_hash: unsubscribe,
      // Mails that were sent before the key changed have a link, too.
      former_unsubscribe_hash: db.raw(
        "case when unsubscribe_hash = :unsubscribe::bytea then former_unsubscribe_hash else unsubscribe_hash end",
        { unsubscribe },
      ),
    });
}

/** Mailings of which nothing waits, made before an instant; confirmations hold addresses' wishes and go sooner. */
export async function deleteSettled(
  db: Database,
  { beforeMs, confirmationsBeforeMs }: { beforeMs: number; confirmationsBeforeMs: number },
): Promise<number> {
  const { rowCount } = await db.raw<{ rowCount: number }>(
    `delete from mailings where id in (
       select id from mailings
       where created_at_ms < case kind when 'confirmation' then :confirmationsBeforeMs::bigint else :beforeMs::bigint end
         and fanned_out_to is null
         and not exists (select from mails where mailing_id = mailings.id and status = 'pending')
       order by id limit 100
     )`,
    { beforeMs, confirmationsBeforeMs },
  );
  return rowCount;
}

/** Deletes waiting mailings of all kinds, those without mails yet. */
export const deleteWaitingMailings = async (db: Database): Promise<void> =>
  void (await db("mailings").whereNotNull("fanned_out_to").delete());
