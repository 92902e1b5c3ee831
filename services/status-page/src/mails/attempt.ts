import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@sonde/kit/errors";
import { ranOutOfTime } from "@sonde/kit/bus/rpc";
import { counter } from "@sonde/kit/telemetry/metrics";
import type { Context } from "../context.ts";
import { confirmToken, tokenHash, unsubscribeToken } from "../subscribers/store.ts";
import { composeMail } from "./compose.ts";
import type { PreparedFacts } from "./mailings.ts";
import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";

/** The call to the notifier takes 35 s at most. */
export const leaseMs = 60_000;

/** The outcome of one attempt: `channel`: nothing can be sent through the channel now, whatever the mail. */
type Outcome = "delivered" | "refused" | "retry" | "throttled" | "channel";
export type MailAttempt = { outcome: Outcome; answer: string; askedMs: number };

/** `pageUrl`: what links begin with. */
export type MailRoute = { channelId: number; pageUrl: string };

/**
 * Sends a claimed mail once and records the outcome. Never rejects: an outcome that cannot be recorded is sent again
 * later.
 */
export async function attempt(ctx: Context, way: MailRoute, mail: ClaimedMail): Promise<MailAttempt> {
  try {
    const attempted = await send(ctx, way, mail);
    sentTotal.inc({ kind: mail.facts.kind, outcome: attempted.outcome });
    await persist(ctx, () => recordEnding(ctx.db, mail, endingOf(mail, attempted, ctx.clock.now())));
    if (attempted.outcome === "refused") {
      ctx.log.warn({ mail: mail.id, answer: attempted.answer }, "a mail to a subscriber was refused");
    }
    return attempted;
  } catch (err) {
    ctx.log.error({ err, mail: mail.id }, "what came of a mail to a subscriber could not be recorded");
    return { outcome: "retry", answer: "", askedMs: 0 };
  }
}

async function send({ db, secrets, sources }: Context, way: MailRoute, mail: ClaimedMail): Promise<MailAttempt> {
  const tokens = {
    confirmToken: confirmToken(secrets, mail.confirmSalt),
    unsubscribeToken: unsubscribeToken(secrets, mail.unsubscribeSalt),
  };
  await renewHashes(db, mail, {
    confirm: tokenHash(tokens.confirmToken),
    unsubscribe: tokenHash(tokens.unsubscribeToken),
  });
  const { language } = mail;
  const composed = composeMail(mail.facts, { language, pageUrl: way.pageUrl, ...tokens });
  try {
    const { outcome, answer, retryAfterMs, throttled } = await sources.notifications.sendMail({
      channelId: way.channelId,
      to: mail.email,
      key: mail.key,
      ...composed,
    });
    return { outcome: readOutcome(outcome, throttled), answer, askedMs: retryAfterMs ?? 0 };
  } catch (error) {
    return refusalOf(error);
  }
}

function readOutcome(outcome: string, isThrottled: boolean): Outcome {
  if (outcome === "delivered" || outcome === "refused") return outcome;
  if (outcome === "broken") return "channel";
  return isThrottled ? "throttled" : "retry";
}

/** The notifier did not send it: it is unavailable, the channel was deleted, or this mail is at fault. */
function refusalOf(error: unknown): MailAttempt {
  if (!(error instanceof AppError)) throw error;
  const outcome = error.code === "invalid" ? "refused" : ranOutOfTime(error) ? "retry" : "channel";
  return { outcome, answer: error.message.slice(0, 200), askedMs: 0 };
}

function endingOf(mail: ClaimedMail, { outcome, answer, askedMs }: MailAttempt, nowMs: number): MailResult {
  const settled = { dueAtMs: nowMs, failures: mail.failures, answer };
  if (outcome === "delivered") return { ...settled, status: "delivered" };
  if (outcome === "refused") return { ...settled, status: "failed" };
  // A rate limit is no fault of the mail, so it does not count as a failure.
  const failures = mail.failures + (outcome === "throttled" ? 0 : 1);
  const waitMs = outcome === "throttled" ? Math.max(1, askedMs) : backoffMs(failures, askedMs);
  return { status: "pending", dueAtMs: Math.min(nowMs + waitMs, mail.givesUpAtMs), failures, answer };
}

/** A known outcome that is lost would be sent again: for half of its lease it is tried to keep it. */
async function persist({ clock }: Context, run: () => Promise<void>): Promise<void> {
  const untilMs = clock.elapsedMs() + leaseMs / 2;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (clock.elapsedMs() >= untilMs) throw error;
      await sleep(500);
    }
  }
}

const firstMs = 5_000;
const longestMs = 15 * 60_000;
/** No provider's word makes anything wait longer. */
const longestAskedMs = 3_600_000;

/**
 * The delay after a number of failures (1 or more): 5 s, doubling to 15 minutes, with a jitter of a fifth; never
 * shorter than a provider requested.
 */
export function backoffMs(failures: number, askedMs = 0): number {
  const plainMs = Math.min(longestMs, firstMs * 2 ** Math.min(20, failures - 1));
  return Math.round(Math.max(Math.min(askedMs, longestAskedMs), plainMs * (0.8 + 0.4 * Math.random())));
}

const sentTotal = counter("sonde_status_mails_total", "Attempts at mails to subscribers", ["kind", "outcome"]);

/** A mail that this process sends. */
type ClaimedMail = {
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
 * Claims due mails of a page, confirmations last, since anonymous visitors can request many of those. One without an outcome by
 * `lostAtMs` is due again.
 */
export async function claimMails(
  db: Database,
  { page, limit, nowMs, lostAtMs }: { page: string; limit: number; nowMs: number; lostAtMs: number },
): Promise<ClaimedMail[]> {
  const { rows } = await db.raw<{ rows: ClaimedMail[] }>(
    `with taken as (
       update mails set claims = claims + 1, due_at_ms = :lostAtMs
       where id in (
         select mails.id from mails join mailings on mailings.id = mailing_id
         where status = 'pending' and mails.due_at_ms <= :nowMs and gives_up_at_ms > :nowMs and page = :page
         order by rank, mails.due_at_ms limit :limit for update of mails skip locked
       )
       returning *
     )
     select taken.id, taken.key, claims, failures, gives_up_at_ms, facts, subscriber_id, email, language, confirm_salt,
       unsubscribe_salt
     from taken join mailings on mailings.id = mailing_id join subscribers on subscribers.id = subscriber_id
     order by rank, taken.id`,
    { page, limit, nowMs: Math.round(nowMs), lostAtMs: Math.round(lostAtMs) },
  );
  return rows;
}

type MailResult = {
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
async function recordEnding(db: Database, { id, claims }: ClaimedMail, ending: MailResult): Promise<void> {
  const { status, dueAtMs, failures, answer } = ending;
  await db("mails")
    .where({ id, status: "pending" })
    .where((mine) => void mine.where({ claims }).orWhereRaw("? = 'delivered'", [status]))
    .update({ status, due_at_ms: Math.round(dueAtMs), failures, answer });
}

/**
 * Tokens are derived from the key of this installation: after a change of key their hashes are renewed. A subscriber
 * who requested a confirmation since the mail was claimed has another token, which stays.
 */
async function renewHashes(
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
