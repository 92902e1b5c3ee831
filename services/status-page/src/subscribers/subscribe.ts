import { AppError, invalid } from "@sonde/kit/errors";
import type { SubscribeRequest } from "@sonde/proto/gen/status/v1/status";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { languageOf } from "@sonde/proto/http/messages";
import type { StatusConfig } from "@sonde/proto/http/status/config";
import { subscribeInput } from "@sonde/proto/http/status/subscribers";
import type { Context } from "../context.ts";
import { addConfirmation } from "../mails/confirmation.ts";
import { countUnsentConfirmations } from "../mails/mailing-store.ts";
import { readConfig } from "../page/config-store.ts";
import { keyOf, shownTargets } from "../page/shown.ts";
import * as store from "./store.ts";
import { newToken } from "./tokens.ts";

const mostSubscribers = 10_000;
/** A mailbox is mailed a confirmation so often at most. */
const askEveryMs = 10 * 60_000;
const mostAsksADay = 3;
const dayMs = 24 * 3_600_000;
/** How long a confirmation is good for. */
const confirmMs = 48 * 3_600_000;
/** The number of unsent confirmations beyond which no further one is accepted. */
const mostUnsent = 1_000;

/**
 * Stores a subscription, which takes effect once the owner of the address confirms it by the mailed link. The answer is
 * the same for known and unknown addresses.
 * @throws AppError `invalid`; `impossible`: mails are switched off, it names a target that the page does not show, or
 * the maximum of subscribers is reached; `too_many`: many confirmations wait to be sent
 */
export async function subscribe(ctx: Context, request: SubscribeRequest): Promise<void> {
  const { email, services } = readInput(request);
  const language = languageOf(request.language);
  const { config } = await readConfig(ctx.db, ctx.log);
  refuseUnlessOpen(ctx, config, services);
  const emailKey = email.toLowerCase();
  await ctx.db.transaction(async (trx) => {
    const nowMs = ctx.clock.now();
    const { confirmed, all } = await store.countForInsert(trx);
    if (confirmed >= mostSubscribers) {
      throw new AppError("impossible", "There are as many subscribers as there may be");
    }
    if ((await countUnsentConfirmations(trx)) >= mostUnsent) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 60 });
    }
    const known = await store.lockByMailbox(trx, emailKey);
    const askedAtMs = (known?.askedAtMs ?? [])
      .map((atMs) => Math.min(atMs, nowMs))
      .filter((atMs) => atMs > nowMs - dayMs);
    if (!mayAsk(askedAtMs, nowMs)) return;
    const asked = {
      services,
      language,
      confirm: newToken(ctx.secrets, "confirmation"),
      confirmUntilMs: nowMs + confirmMs,
      askedAtMs: [...askedAtMs, nowMs],
    };
    if (known === undefined && all >= mostSubscribers) await store.deleteOldestPending(trx);
    const subscriberId = known?.id ?? (await insert(ctx, trx, { email, emailKey, asked, nowMs }));
    if (known !== undefined) await store.askAgain(trx, known, { ...asked, email, emailKey });
    await addConfirmation(trx, { subscriberId, services, nowMs });
  });
  ctx.mailDue();
}

const insert = (
  { secrets }: Context,
  trx: Context["db"],
  { asked, ...row }: { email: string; emailKey: string; asked: store.SubscriptionRequest; nowMs: number },
) => store.insertPending(trx, { ...row, ...asked, unsubscribe: newToken(secrets, "unsubscription") });

function readInput(request: SubscribeRequest): { email: string; services: string[] } {
  const services = (request.services?.values ?? []).map(({ type, id }) => `${type}:${id}`);
  const { data, error } = subscribeInput.safeParse({ email: request.email, services });
  if (error !== undefined) throw invalid(faultsOf(error.issues));
  return { email: data.email, services: [...new Set(data.services)] };
}

function refuseUnlessOpen({ publicUrl }: Context, config: StatusConfig, services: readonly string[]): void {
  const { enabled, channelId } = config.subscriptions;
  if (!enabled || channelId === null || publicUrl === null) {
    throw new AppError("impossible", "Nobody can subscribe by mail at the moment");
  }
  const shown = new Set(shownTargets(config).map(keyOf));
  const details = services.flatMap((service, at) =>
    shown.has(service) ? [] : [{ path: `services.${at}`, message: "The page does not show this" as const }],
  );
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

const mayAsk = (askedAtMs: readonly number[], nowMs: number): boolean =>
  askedAtMs.length < mostAsksADay && askedAtMs.every((atMs) => atMs <= nowMs - askEveryMs);
