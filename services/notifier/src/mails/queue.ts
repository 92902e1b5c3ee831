import { AppError } from "@sonde/kit/errors";
import type { MailRequest, QueuedMail } from "@sonde/proto/rpc/notifications";
import { findChannel } from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { giveUpAfterMs } from "../deliveries/add.ts";
import { type DeliveryContext, readyChannel } from "../deliveries/delivery-context.ts";
import { readMail } from "./content.ts";

/** Maximum number of pending confirmations per channel, because strangers can request them. */
const maxConfirmations = 500;

/**
 * Queues mails whose text status-page composes when they are sent. A key that is already queued only moves to this
 * channel. Mails wait while their channel is missing, disabled or refused.
 * @throws AppError `too_many`
 */
export async function queueMails(
  { db, clock, due }: Pick<Context, "db" | "clock" | "due">,
  { channelId, mails }: { channelId: number; mails: QueuedMail[] },
): Promise<void> {
  if (mails.some(({ kind }) => kind === "confirmation")) {
    const waiting = db("messages").where({ channelId, status: "pending", mailKind: "confirmation" });
    const [counted] = await waiting.count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= maxConfirmations) {
      throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 60 });
    }
  }
  const rows = mails.map(({ key, kind, rank, givesUpAtMs }) => ({
    ...rowOf(channelId, key, clock.now()),
    mailKind: kind,
    mailRank: rank,
    givesUpAtMs,
  }));
  await db("messages").insert(rows).onConflict("key").merge(["channelId"]).where({ "messages.status": "pending" });
  due();
}

/** Queues a mail with its text. @throws AppError `invalid`, `not_found`, `impossible` (disabled or no mail) */
export async function queueMail(
  deps: Pick<DeliveryContext, "db" | "clock" | "log" | "secrets" | "channelOf"> & Pick<Context, "due">,
  { channelId, key, ...content }: MailRequest,
): Promise<void> {
  const { db, clock, due } = deps;
  const nowMs = clock.now();
  const mail = readMail(content, nowMs);
  const stored = await findChannel(db, channelId);
  const { composeMail } = deps.channelOf(stored.type);
  if (composeMail === undefined) throw new AppError("impossible", "This notification channel cannot send email");
  const channel = readyChannel(deps, stored);
  if (!stored.enabled || channel === null) throw new AppError("impossible", "The notification channel is disabled");
  const body = composeMail(mail, channel.config);
  const givesUpAtMs = Math.round(nowMs + giveUpAfterMs);
  await db("messages")
    .insert({ ...rowOf(channelId, key, nowMs), mailKind: "other", body, givesUpAtMs })
    .onConflict("key")
    .ignore();
  due();
}

const rowOf = (channelId: number, key: string, nowMs: number) => ({
  key,
  channelId,
  targets: [],
  language: "en-US",
  status: "pending",
  createdAtMs: Math.round(nowMs),
  dueAtMs: Math.round(nowMs),
});
