import type { Language } from "@sonde/proto/http/messages";
import { startLoop } from "@sonde/kit/time/loop";
import { plainLine } from "@sonde/proto/http/text";
import type { Context } from "../context.ts";
import { composeLink } from "../mails/compose.ts";
import { confirmToken } from "../subscribers/store.ts";
import { openUrl } from "./links.ts";
import { forgetOld } from "./attempts.ts";
import { readPage } from "./store.ts";

const pollMs = 10_000;
/** The notifier takes 35 s at most. */
const leaseMs = 60_000;
const mostAtOnce = 4;
const mostClaims = 5;

type LinkMail = {
  id: number;
  slug: string;
  email: string;
  language: Language;
  salt: Buffer;
  key: string;
  claims: number;
};

/** Sends the links that are due. Returns whether there may be more. */
export async function sendLinks(ctx: Context): Promise<boolean> {
  const nowMs = Math.round(ctx.clock.now());
  const { rows } = await ctx.db.raw<{ rows: LinkMail[] }>(
    `update page_mails set claims = claims + 1, due_at_ms = case when claims + 1 < :mostClaims then :lostAtMs::bigint end
     where id in (
       select id from page_mails where due_at_ms <= :nowMs and expires_at_ms > :nowMs
       order by due_at_ms limit :mostAtOnce for update skip locked
     ) returning id, slug, email, language, salt, key, claims`,
    { nowMs, lostAtMs: nowMs + leaseMs, mostAtOnce, mostClaims },
  );
  await Promise.all(rows.map((mail) => send(ctx, mail)));
  return rows.length === mostAtOnce;
}

async function send(ctx: Context, mail: LinkMail): Promise<void> {
  const { db, log, secrets, sources, publicUrl } = ctx;
  const settle = (dueAtMs: number | null) => db("page_mails").where({ id: mail.id }).update({ due_at_ms: dueAtMs });
  const page = await readPage(db, log, mail.slug);
  const channelId = page?.config.subscriptions.channelId ?? null;
  if (page === undefined || channelId === null) return void (await settle(null));
  try {
    const { outcome } = await sources.notifications.sendMail({
      channelId,
      to: mail.email,
      key: mail.key,
      ...composeLink({
        language: mail.language,
        pageTitle: plainLine(page.config.title),
        url: `${openUrl(page, publicUrl, confirmToken(secrets, mail.salt))}&lang=${mail.language}`,
      }),
    });
    if (outcome === "delivered" || outcome === "refused") await settle(null);
    else await settle(retryAt(ctx, mail));
  } catch (err) {
    log.warn({ err, mail: mail.id }, "the link of a page could not be mailed");
    await settle(retryAt(ctx, mail));
  }
}

const retryAt = ({ clock }: Context, { claims }: LinkMail) =>
  claims < mostClaims ? Math.round(clock.now()) + 5_000 * 2 ** claims : null;

/** Mails links in this process beside others, when asked to and each ten seconds. */
export function startLinkMails(ctx: Context) {
  const loop = startLoop({
    work: "mailing links of pages",
    log: ctx.log,
    clock: ctx.clock,
    everyMs: pollMs,
    retryMs: pollMs,
    run: async () => {
      await forgetOld(ctx.db, ctx.clock.now());
      while (await sendLinks(ctx));
    },
  });
  return loop;
}
