import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import { createHash, randomBytes } from "node:crypto";

/** A row of `subscribers`, a subscriber to updates of the page. Instants are epoch milliseconds. */
export type StoredSubscriber = {
  id: number;
  email: string;
  /** `monitor:12`; empty: all that the page shows. */
  services: string[];
  /** Its slug. */
  page: string;
  language: Language;
  createdAtMs: number;
  /** Null: pending. */
  confirmedAtMs: number | null;
};

type KnownSubscriber = { id: number; isConfirmed: boolean; askedAtMs: number[] };

/**
 * SQL for the mailbox that an address in lower case leads to: without a tag (`name+tag`, RFC 5233), and at Gmail without
 * dots, which mean nothing there alone.
 */
const mailboxOf = (address: string): string => {
  const [local, host] = [`split_part(split_part(${address}, '@', 1), '+', 1)`, `split_part(${address}, '@', 2)`];
  return `case when ${host} in ('gmail.com', 'googlemail.com') then replace(${local}, '.', '') || '@gmail.com'
    else ${local} || '@' || ${host} end`;
};

/**
 * The subscriber of a page and a mailbox, by an address in lower case: the one with this address where several subscribed before
 * a mailbox counted once. `askedAtMs` is of all of them. Locked until the transaction ends.
 */
export async function lockByMailbox(
  trx: Database,
  page: string,
  emailKey: string,
): Promise<KnownSubscriber | undefined> {
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

/** How many there are; concurrent inserts wait for each other here. */
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
  confirm: KeptToken;
  confirmUntilMs: number;
  askedAtMs: readonly number[];
};

/**
 * Stores a request and returns its subscriber: a new one, with the token that ends it; a pending one gets the request at
 * once, with the new address; one that gets mails already after its confirmation.
 */
export async function storeRequest(
  trx: Database,
  known: KnownSubscriber | undefined,
  asked: SubscriptionRequest & { page: string; email: string; emailKey: string; unsubscribe: KeptToken; nowMs: number },
): Promise<number> {
  const { page, services, language, email, emailKey, confirm, unsubscribe, confirmUntilMs, askedAtMs } = asked;
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
    .insert({ page, ...wanted, ...confirmation, ...ending, createdAtMs: asked.nowMs })
    .returning<{ id: number }[]>("id");
  return row!.id;
}

/** Confirms the token's owner and what was requested with it; idempotent. Returns whether the token exists. */
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

/** Makes room: deletes the one whose confirmation has been pending longest. */
export const deleteOldestPending = async (trx: Database): Promise<void> =>
  void (await trx.raw(
    `delete from subscribers where id in
       (select id from subscribers where confirmed_at_ms is null order by confirm_until_ms, id limit 1)`,
  ));

/** Deletes those that were not confirmed in time. */
export const deleteOverdue = (db: Database, nowMs: number): Promise<number> =>
  db("subscribers").whereNull("confirmed_at_ms").where("confirm_until_ms", "<=", nowMs).delete();

/** Answers its address; undefined where there is none. */
export const deleteById = async (trx: Database, id: number): Promise<string | undefined> =>
  (await trx("subscribers").where({ id }).delete().returning<{ email: string }[]>("email"))[0]?.email;

/** A page of them, newest first, and how many there are in all. `search`: part of an address. */
export async function listSubscribers(
  db: Database,
  { page, pageSize, search = "", slug }: { page: number; pageSize: number; search?: string; slug?: string | undefined },
): Promise<{ subscribers: StoredSubscriber[]; total: number }> {
  const found = db("subscribers");
  if (slug !== undefined) void found.where({ page: slug });
  // PostgreSQL has no place for NUL in a text.
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

/** The stored part of a token: enough to recognise it, and to make it again with the key of this installation. */
export type KeptToken = { hash: Buffer; salt: Buffer };

/** A new token of 256 bits, in its stored form: the token itself is derived when a mail needs it, and never stored. */
export function deriveToken(secrets: SecretBox, purpose: "confirmation" | "unsubscription"): KeptToken {
  const salt = randomBytes(saltBytes);
  return { salt, hash: subscriberTokenHash(secrets.token(salt, secretContexts[purpose])) };
}

export const confirmToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.confirmation);
export const unsubscribeToken = (secrets: SecretBox, salt: Uint8Array): string =>
  secrets.token(salt, secretContexts.unsubscription);

export const subscriberTokenHash = (token: string): Buffer => createHash("sha256").update(token).digest();
