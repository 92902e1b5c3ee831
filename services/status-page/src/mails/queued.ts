import { AppError } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { Language } from "@sonde/proto/http/messages";
import { pagePath } from "@sonde/proto/http/status/snapshot";
import type { MailContent } from "@sonde/proto/rpc/notifications";
import type { Context } from "../context.ts";
import { pageOrigin } from "../pages/pages.ts";
import { composeLinkMail } from "../pages/link-mails.ts";
import { loadPage, type StoredPage } from "../pages/store.ts";
import { confirmToken, subscriberTokenHash, unsubscribeToken } from "../subscribers/store.ts";
import { composeMail } from "./compose.ts";
import type { PreparedFacts } from "./mailings.ts";

/**
 * Composes a mail of the notifier's queue. Undefined if it was withdrawn: its subscriber, page or subject was deleted,
 * or mails are off.
 * @throws AppError `impossible` while it waits for PUBLIC_URL or a channel
 */
export async function composeQueued(ctx: Context, key: string): Promise<MailContent | undefined> {
  const { db, log, secrets } = ctx;
  const mail = await db("mails")
    .join("mailings", "mailings.id", "mailingId")
    .join("subscribers", "subscribers.id", "subscriberId")
    .where({ "mails.key": key })
    .whereNot({ status: "failed" })
    .first<Queued | undefined>(
      "mailings.page",
      "facts",
      "subscriberId",
      "email",
      "language",
      "confirmSalt",
      "unsubscribeSalt",
    );
  if (mail === undefined) return composeLinkMail(ctx, key);
  const page = await loadPage(db, log, mail.page);
  if (page?.config.subscriptions.enabled !== true) return undefined;
  const pageUrl = mailsUrl(ctx, page);
  if (pageUrl === null) throw new AppError("impossible", "Email subscriptions are currently unavailable");
  const tokens = {
    confirmToken: confirmToken(secrets, mail.confirmSalt),
    unsubscribeToken: unsubscribeToken(secrets, mail.unsubscribeSalt),
  };
  await renewHashes(db, mail, {
    confirm: subscriberTokenHash(tokens.confirmToken),
    unsubscribe: subscriberTokenHash(tokens.unsubscribeToken),
  });
  return { to: mail.email, ...composeMail(mail.facts, { language: mail.language, pageUrl, ...tokens }) };
}

/** Returns the base of links in mails to a page's subscribers; `null` if these mails are off. */
export function mailsUrl({ publicUrl }: Pick<Context, "publicUrl">, page: StoredPage): string | null {
  const { enabled, channelId } = page.config.subscriptions;
  if (!enabled || channelId === null || publicUrl === null) return null;
  return `${pageOrigin(page, publicUrl)}${pagePath(page.slug)}`;
}

type Queued = {
  page: string;
  facts: PreparedFacts;
  subscriberId: number;
  email: string;
  language: Language;
  confirmSalt: Buffer;
  unsubscribeSalt: Buffer;
};

/** Tokens depend on the installation's key. Skips a subscriber who requested another confirmation since. */
async function renewHashes(
  db: Database,
  { subscriberId, confirmSalt, unsubscribeSalt }: Queued,
  { confirm, unsubscribe }: { confirm: Buffer; unsubscribe: Buffer },
): Promise<void> {
  await db("subscribers")
    .where({ id: subscriberId, confirm_salt: confirmSalt, unsubscribe_salt: unsubscribeSalt })
    .whereRaw("(confirm_hash, unsubscribe_hash) is distinct from (?::bytea, ?::bytea)", [confirm, unsubscribe])
    .update({
      confirm_hash: confirm,
      unsubscribe_hash: unsubscribe,
      // Links in mails from before the key change keep working.
      former_unsubscribe_hash: db.raw(
        "case when unsubscribe_hash = :unsubscribe::bytea then former_unsubscribe_hash else unsubscribe_hash end",
        { unsubscribe },
      ),
    });
}
