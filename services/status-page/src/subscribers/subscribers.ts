import * as store from "./store.ts";
import { deriveToken, subscriberTokenHash } from "./store.ts";
import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import type { Subscriber, subscribersQuery } from "@sonde/proto/http/status/subscribers";
import type { statusContract } from "@sonde/proto/rpc/status";
import type { z } from "zod";
import type { Context } from "../context.ts";
import { queueConfirmation, countWaitingConfirmations } from "../mails/mailings.ts";
import { isoInstant } from "../announcements/store.ts";
import { loadPage } from "../pages/store.ts";
import { dayMs } from "../compose/days.ts";
import { keyOf, shownTargets } from "../collect/targets.ts";

const maxSubscribers = 10_000;
const askEveryMs = 10 * 60_000;
const maxRequestsPerDay = 3;
const confirmMs = 48 * 3_600_000;
/** Maximum number of waiting confirmations. The notifier has up to 500 others in its queue. */
const maxWaiting = 500;

/**
 * Stores a subscription, which takes effect when the address's owner confirms it through the mailed link. The response
 * is the same for known and unknown addresses.
 * @throws AppError `impossible` if mails are disabled, a target is not on the page, or there are too many subscribers;
 * `too_many` if too many confirmations are waiting
 */
export async function subscribe(
  ctx: Context,
  { slug, email, services: given = [], language }: z.output<typeof statusContract.methods.subscribe.input>,
): Promise<void> {
  const services = [...new Set(given)];
  const page = await loadPage(ctx.db, ctx.log, slug);
  requireOpen(ctx, page?.config ?? defaultStatusConfig, services);
  const emailKey = email.toLowerCase();
  await ctx.db.transaction(async (trx) => {
    const nowMs = ctx.clock.now();
    const { confirmed, all } = await store.countForInsert(trx);
    if (confirmed >= maxSubscribers) {
      throw new AppError("impossible", "The subscriber limit has been reached");
    }
    if ((await countWaitingConfirmations(trx)) >= maxWaiting) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 60 });
    }
    const known = await store.lockByMailbox(trx, slug, emailKey);
    const askedAtMs = (known?.askedAtMs ?? [])
      .map((atMs) => Math.min(atMs, nowMs))
      .filter((atMs) => atMs > nowMs - dayMs);
    if (!mayRequest(askedAtMs, nowMs)) return;
    if (known === undefined && all >= maxSubscribers) await store.deleteOldestPending(trx);
    const subscriberId = await store.storeRequest(trx, known, {
      page: slug,
      email,
      emailKey,
      services,
      language,
      confirm: deriveToken(ctx.secrets, "confirmation"),
      confirmUntilMs: nowMs + confirmMs,
      unsubscribe: deriveToken(ctx.secrets, "unsubscription"),
      askedAtMs: [...askedAtMs, nowMs],
      nowMs,
    });
    await queueConfirmation(trx, { page: slug, subscriberId, services, nowMs });
  });
  ctx.mailDue();
}

function requireOpen({ publicUrl }: Context, config: StatusConfig, services: readonly string[]): void {
  const { enabled, channelId } = config.subscriptions;
  if (!enabled || channelId === null || publicUrl === null) {
    throw new AppError("impossible", "Email subscriptions are currently unavailable");
  }
  const shown = new Set(shownTargets(config).map(keyOf));
  const details = services.flatMap((service, at) =>
    shown.has(service) ? [] : [{ path: `services.${at}`, message: "This is not shown on the page" as const }],
  );
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

const mayRequest = (askedAtMs: readonly number[], nowMs: number): boolean =>
  askedAtMs.length < maxRequestsPerDay && askedAtMs.every((atMs) => atMs <= nowMs - askEveryMs);

/** Repeating it is allowed. @throws AppError `invalid` if the token is unknown or expired */
export async function confirmSubscription({ db, clock }: Context, token: string): Promise<void> {
  if (!(await store.confirmByHash(db, subscriberTokenHash(token), clock.now()))) {
    throw new AppError("invalid", "This link is invalid or has expired");
  }
}

/** Ends a subscription by the token in its mails. An unknown token means that it already ended. */
export async function unsubscribe({ db }: Context, token: string): Promise<void> {
  await store.deleteByHash(db, subscriberTokenHash(token));
}

export async function listSubscribers(
  { db }: Context,
  query: z.output<typeof subscribersQuery>,
): Promise<{ subscribers: Subscriber[]; total: number }> {
  const { subscribers, total } = await store.listSubscribers(db, query);
  const present = ({ createdAtMs, confirmedAtMs, page, ...subscriber }: store.StoredSubscriber): Subscriber => ({
    ...subscriber,
    pages: [page],
    status: confirmedAtMs === null ? "pending" : "confirmed",
    createdAt: isoInstant(createdAtMs),
    confirmedAt: confirmedAtMs === null ? undefined : isoInstant(confirmedAtMs),
  });
  return { subscribers: subscribers.map(present), total };
}

/** Deletes a subscriber with the unsent mails. @throws AppError `not_found` */
export async function deleteSubscriber({ db, committed }: Context, id: number): Promise<void> {
  await db.transaction(async (trx) => {
    const email = await store.deleteById(trx, id);
    if (email === undefined) throw new AppError("not_found", "Subscriber does not exist");
    // Masked, because the audit log is kept longer than addresses.
    const name = `${email.slice(0, 1)}•••${email.slice(email.lastIndexOf("@"))}`;
    await record(trx, "status-page", { action: "delete", target: { type: "subscriber", id, name } });
  });
  committed();
}
