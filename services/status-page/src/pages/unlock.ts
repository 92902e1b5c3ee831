import { countedAddress } from "@sonde/kit/addresses";
import { AppError, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { dayMs } from "../compose/days.ts";
import { deriveToken, subscriberTokenHash } from "../subscribers/store.ts";
import { mayMail } from "./access.ts";
import { addAttempt, refuseTooMany } from "./attempts.ts";
import { loadPage, type StoredPage } from "./store.ts";

const openMs = 30 * dayMs;
export const linkMs = 30 * 60_000;
/** Per mailbox and page, so that no one can flood another's mailbox. */
const mailEveryMs = 60_000;
const maxMailsPerDay = 10;

type UnlockInput = z.output<typeof statusContract.methods.unlockPage.input>;
type Unlocked = { until: number; source: "p" | "e" };

/**
 * Opens a page by its password, or mails a link to an address that may read it. For a missing page or another mode,
 * cost and response are the same.
 * @throws AppError `unauthenticated`, `too_many`
 */
export async function unlockPage(
  ctx: Context,
  { slug, password, email, address: from, language }: UnlockInput,
  signal?: AbortSignal,
): Promise<Partial<Unlocked>> {
  const { db, clock, log } = ctx;
  const guess = { slug, address: countedAddress(from) };
  // Checked early, so an address over the limit takes no place in the queue.
  await refuseTooMany(db, guess, clock.now());
  if (email !== undefined) {
    await addAttempt(db, guess, clock.now());
    await queueLink(ctx, { slug, email: email.toLowerCase(), language });
    return {};
  }
  return ctx.passwords.inTurn(
    guess.address,
    async ({ verify }) => {
      // Checked again within the queue, so concurrent requests cannot exceed the limit.
      await refuseTooMany(db, guess, clock.now());
      const page = await loadPage(db, log, slug);
      const known = page?.access.mode === "password" ? page.passwordHash : null;
      if (await verify(known, password ?? "")) return { until: Math.round(clock.now() + openMs), source: "p" as const };
      await addAttempt(db, guess, clock.now());
      throw new AppError("unauthenticated", "Incorrect page password");
    },
    signal,
  );
}

/** Stores the same row for an address that may not read the page, but sends nothing. */
async function queueLink(
  ctx: Context,
  { slug, email, language }: { slug: string; email: string; language: string },
): Promise<void> {
  const { db, clock, log, secrets } = ctx;
  const nowMs = Math.round(clock.now());
  const page = await loadPage(db, log, slug);
  const isDue = page !== undefined && mayMail(page.access, email) && (await mayMailAgain(db, slug, email, nowMs));
  const { salt, hash } = deriveToken(secrets, "confirmation");
  await db("page_mails").insert({
    slug,
    email,
    language,
    salt,
    token_hash: hash,
    created_at_ms: nowMs,
    expires_at_ms: nowMs + linkMs,
    due_at_ms: isDue ? nowMs : null,
  });
  ctx.mailDue();
}

async function mayMailAgain(db: Database, slug: string, email: string, nowMs: number): Promise<boolean> {
  const { rows } = await db.raw<{ rows: { count: number; newestMs: number | null }[] }>(
    `select count(*) as count, max(created_at_ms) as newest_ms from page_mails
     where slug = ? and email = ? and created_at_ms > ?::bigint`,
    [slug, email, nowMs - dayMs],
  );
  const { count, newestMs } = rows[0]!;
  return count < maxMailsPerDay && (newestMs === null || Math.abs(nowMs - newestMs) >= mailEveryMs);
}

/** @throws AppError `invalid` if it is unknown or expired, or its address may no longer read the page */
export async function openPageLink(
  { db, clock, log }: Context,
  { slug, token }: { slug: string; token: string },
): Promise<Unlocked> {
  const nowMs = Math.round(clock.now());
  const [link] = await db("page_mails")
    .where({ slug, token_hash: subscriberTokenHash(token) })
    .where("expires_at_ms", ">", nowMs)
    .delete()
    .returning<{ email: string }[]>("email");
  const page: StoredPage | undefined = link && (await loadPage(db, log, slug));
  if (link === undefined || page === undefined || !mayMail(page.access, link.email)) throw notValid();
  return { until: nowMs + openMs, source: "e" };
}

/** Marks a member's ticket as used. @throws AppError `invalid` if it was used before */
export async function takePageTicket(
  { db }: Context,
  { id, expiresAtMs }: { id: string; expiresAtMs: number },
): Promise<void> {
  const row = { id, expires_at_ms: Math.round(expiresAtMs) };
  const taken = await db("page_tickets").insert(row).onConflict("id").ignore().returning("id");
  if (taken.length === 0) throw notValid();
}

const notValid = () => invalid([{ path: "token", message: "This link is invalid or has expired" }]);
