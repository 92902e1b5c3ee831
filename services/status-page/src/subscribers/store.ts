import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { createHash, randomBytes } from "node:crypto";

/** A row of `subscribers`. Instants are epoch milliseconds. */
export type StoredSubscriber = {
  id: number;
  email: string;
  /** `monitor:12`; empty for everything on the page. */
  services: string[];
  page: string;
  language: Language;
  createdAtMs: number;
  /** `null` while pending. */
  confirmedAtMs: number | null;
};

type ExistingSubscriber = { id: number; isConfirmed: boolean; askedAtMs: number[] };

/** SQL for an address's mailbox: without a tag (RFC 5233), and at Gmail without dots, which only Gmail ignores. */
const mailboxOf = (address: string): string => {
  const [local, host] = [`split_part(split_part(${address}, '@', 1), '+', 1)`, `split_part(${address}, '@', 2)`];
  return `case when ${host} in ('gmail.com', 'googlemail.com') then replace(${local}, '.', '') || '@gmail.com'
    else ${local} || '@' || ${host} end`;
};

/**
 * Returns the subscriber of a page and a mailbox, by a lower-case address, locked until the transaction ends. If
 * several addresses of the mailbox subscribed in the past, the one with this address. `askedAtMs` covers all of them.
 */
export async function lockByMailbox(
  trx: Database,
  page: string,
  emailKey: string,
): Promise<ExistingSubscriber | undefined> {
  const { rows } = await trx.raw<{
    rows: { id: number; confirmedAtMs: number | null; askedAtMs: string[] }[];
  }>(
    `select id, confirmed_at_ms, asked_at_ms from subscribers
     where page = :page and ${mailboxOf("email_key")} = ${mailboxOf("cast(:emailKey as text)")}
     order by email_key <> :emailKey, confirmed_at_ms is null, id for update`,
    { page, emailKey },
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const askedAtMs = new Set(rows.flatMap((one) => one.askedAtMs.map(Number)));
  return { id: row.id, isConfirmed: row.confirmedAtMs !== null, askedAtMs: [...askedAtMs] };
}

/** Counts subscribers, and serialises concurrent inserts. */
export async function countForInsert(trx: Database): Promise<{ confirmed: number; all: number }> {
  await trx.raw("select pg_advisory_xact_lock(hashtextextended(current_schema() || ' subscribers', 0))");
  const { rows } = await trx.raw<{ rows: { confirmed: number; all: number }[] }>(
    'select count(confirmed_at_ms) as confirmed, count(*) as "all" from subscribers',
  );
  return rows[0]!;
}

export type SubscriptionRequest = {
  services: readonly string[];
  language: Language;
  confirm: StoredToken;
  confirmUntilMs: number;
  askedAtMs: readonly number[];
};

/** New ones get an unsubscribe token; pending ones change at once, confirmed ones after confirming. */
export async function storeRequest(
  trx: Database,
  known: ExistingSubscriber | undefined,
  request: SubscriptionRequest & {
    page: string;
    email: string;
    emailKey: string;
    unsubscribe: StoredToken;
    nowMs: number;
  },
): Promise<number> {
  const { page, services, language, email, emailKey, confirm, unsubscribe, confirmUntilMs, askedAtMs } = request;
  const confirmation = { confirmHash: confirm.hash, confirmSalt: confirm.salt, confirmUntilMs, askedAtMs };
  const wanted = known?.isConfirmed
    ? { wantedServices: services, wantedLanguage: language }
    : { services, language, email, emailKey };
  if (known !== undefined) {
    await trx("subscribers")
      .where({ id: known.id })
      .update({ ...wanted, ...confirmation });
    return known.id;
  }
  const ending = { unsubscribeHash: unsubscribe.hash, unsubscribeSalt: unsubscribe.salt };
  const [row] = await trx("subscribers")
    .insert({ page, ...wanted, ...confirmation, ...ending, createdAtMs: request.nowMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

/** Confirms the token's subscriber and its requested changes; idempotent. Returns whether the token exists. */
export async function confirmByHash(db: Database, hash: Buffer, nowMs: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `update subscribers
     set confirmed_at_ms = coalesce(confirmed_at_ms, :nowMs), services = coalesce(wanted_services, services),
       language = coalesce(wanted_language, language), wanted_services = null, wanted_language = null
     where confirm_hash = :hash and confirm_until_ms > :nowMs
     returning id`,
    { hash, nowMs },
  );
  return rows.length > 0;
}

export const deleteByHash = async (db: Database, hash: Buffer): Promise<void> =>
  void (await db("subscribers").where({ unsubscribe_hash: hash }).orWhere({ former_unsubscribe_hash: hash }).delete());

export const deleteOldestPending = async (trx: Database): Promise<void> =>
  void (await trx.raw(
    `delete from subscribers where id in
       (select id from subscribers where confirmed_at_ms is null order by confirm_until_ms, id limit 1)`,
  ));

export const deleteOverdue = (db: Database, nowMs: number): Promise<number> =>
  db("subscribers").whereNull("confirmed_at_ms").where("confirm_until_ms", "<=", nowMs).delete();

/** Returns the deleted subscriber's address, or undefined. */
export const deleteById = async (trx: Database, id: number): Promise<string | undefined> =>
  (await trx("subscribers").where({ id }).delete().returning<{ email: string }[]>("email"))[0]?.email;

export async function listSubscribers(
  db: Database,
  { page, pageSize, search = "", slug }: { page: number; pageSize: number; search?: string; slug?: string | undefined },
): Promise<{ subscribers: StoredSubscriber[]; total: number }> {
  const found = db("subscribers");
  if (slug !== undefined) void found.where({ page: slug });
  // PostgreSQL cannot store NUL in a text.
  const key = search.replaceAll("\0", "").toLowerCase();
  if (key !== "") void found.whereRaw("position(? in email_key) > 0", [key]);
  const [counted] = await found.clone().count<{ count: number }[]>("* as count");
  const subscribers = await found
    .orderBy([
      { column: "createdAtMs", order: "desc" },
      { column: "id", order: "desc" },
    ])
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .select<StoredSubscriber[]>("id", "email", "services", "page", "language", "createdAtMs", "confirmedAtMs");
  return { subscribers, total: counted?.count ?? 0 };
}

const saltBytes = 32;

/** The stored part of a token, from which it can be recognised, and derived again with the installation's key. */
export type StoredToken = { hash: Buffer; salt: Buffer };

/** 256 bits. The token itself is derived when a mail needs it, and never stored. */
export function deriveToken(secrets: SecretBox, purpose: "confirmation" | "unsubscription"): StoredToken {
  const salt = randomBytes(saltBytes);
  return { salt, hash: subscriberTokenHash(secrets.token(salt, secretContexts[purpose])) };
}

export const confirmToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.confirmation);
export const unsubscribeToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.unsubscription);

export const subscriberTokenHash = (token: string): Buffer => createHash("sha256").update(token).digest();
