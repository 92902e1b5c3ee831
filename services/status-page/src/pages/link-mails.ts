import type { Language } from "@sonde/proto/http/messages";
import type { MailContent } from "@sonde/proto/rpc/notifications";
import { plainLine } from "@sonde/proto/http/text";
import type { Context } from "../context.ts";
import { composeLink } from "../mails/compose.ts";
import { confirmToken } from "../subscribers/store.ts";
import { openUrl } from "./links.ts";
import { loadPage } from "./store.ts";

/** Maximum duration of a hand-over to the notifier. */
const leaseMs = 60_000;
const maxConcurrent = 100;

/** Hands due links over to the notifier, which mails them. Returns whether there may be more. */
export async function handOverLinks({ db, clock, log, sources }: Context): Promise<boolean> {
  const nowMs = Math.round(clock.now());
  const { rows } = await db.raw<{ rows: { key: string; slug: string; expiresAtMs: number }[] }>(
    `update page_mails set due_at_ms = :lostAtMs where id in (
       select id from page_mails where due_at_ms <= :nowMs and expires_at_ms > :nowMs
       order by due_at_ms limit ${maxConcurrent} for update skip locked
     ) returning key, slug, expires_at_ms`,
    { nowMs, lostAtMs: nowMs + leaseMs },
  );
  for (const { key, slug, expiresAtMs } of rows) {
    const channelId = (await loadPage(db, log, slug))?.config.subscriptions.channelId ?? null;
    const mail = { key, kind: "link" as const, rank: 0, givesUpAtMs: expiresAtMs };
    if (channelId !== null) await sources.notifications.queueMails({ channelId, mails: [mail] });
    await db("page_mails").where({ key }).update({ due_at_ms: null });
  }
  return rows.length === maxConcurrent;
}

export async function composeLinkMail(
  { db, log, clock, secrets, publicUrl }: Context,
  key: string,
): Promise<MailContent | undefined> {
  type LinkMail = { slug: string; email: string; language: Language; salt: Buffer };
  const link = await db("page_mails")
    .where({ key })
    .where("expires_at_ms", ">", clock.now())
    .first<LinkMail | undefined>("slug", "email", "language", "salt");
  const page = link && (await loadPage(db, log, link.slug));
  if (link === undefined || page === undefined) return undefined;
  const { language, email, salt } = link;
  const url = `${openUrl(page, publicUrl, confirmToken(secrets, salt))}&lang=${language}`;
  return { to: email, ...composeLink({ language, pageTitle: plainLine(page.config.title), url }) };
}
