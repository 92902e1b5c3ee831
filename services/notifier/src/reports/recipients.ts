import { currentCall } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import { html, write } from "@sonde/kit/http/html";
import type { Database } from "@sonde/kit/postgres/database";
import type { ReportInput } from "@sonde/proto/http/reports";
import { findMailChannel } from "../on-call/contacts/account-mail.ts";
import type { ReportContext } from "./context.ts";
import { queueReportMail } from "./mails.ts";
import { addRecipients, readRecipients, readReports, recentConfirmations, type ReportRecipient } from "./store.ts";
import { reportWords } from "./words.ts";

const dayMs = 86_400_000;
const confirmMs = 7 * dayMs;
/** Confirmations in a day: in total, and to one mailbox, at least ten minutes apart. */
const [maxInAll, maxEach, askEveryMs] = [100, 3, 600_000];

const keyOf = (address: string) => address.toLowerCase();

/**
 * Returns the given addresses that belong to a user who can log in. Others could enter a stranger's as their own, so only
 * confirmed ones count.
 * @throws AppError `unavailable`
 */
export async function accountsAmong({ sources }: Pick<ReportContext, "sources">, addresses: readonly string[]) {
  if (addresses.length === 0) return new Set<string>();
  const { people } = await sources.auth.people({ names: [...addresses] });
  const confirmed = people.filter(({ emailVerified, status }) => emailVerified === true && status !== "disabled");
  return new Set(confirmed.flatMap(({ email }) => (email ? [keyOf(email)] : [])));
}

/**
 * Stores who is to receive a report. Users receive it at once; others are mailed a link with which they confirm.
 * @throws AppError `too_many` if too many confirmations were mailed, `impossible` if none can be
 */
export async function saveRecipients(
  ctx: ReportContext,
  trx: Database,
  { id: reportId, recipients }: { id: number; recipients: readonly string[] },
  accounts: ReadonlySet<string>,
): Promise<void> {
  const nowMs = Math.round(ctx.clock.now());
  const wanted = [...new Set(recipients.map(keyOf))];
  await trx("report_recipients").where({ reportId }).whereNotIn("address", wanted).delete();
  const known = new Set((await readRecipients(trx, [reportId])).map(({ address }) => address));
  const rows = wanted
    .filter((address) => !known.has(address))
    .map((address) => {
      const isUser = accounts.has(address);
      return { reportId, address, isUser, confirmedAtMs: isUser ? nowMs : null };
    });
  if (rows.length === 0) return;
  const strangers = (await addRecipients(trx, rows)).filter(({ isUser }) => !isUser);
  if (strangers.length > 0) await askToConfirm({ ...ctx, db: trx }, strangers, nowMs);
}

async function askToConfirm(ctx: ReportContext, strangers: readonly ReportRecipient[], nowMs: number) {
  const { total, of } = await recentConfirmations(ctx.db, nowMs);
  if (total + strangers.length > maxInAll)
    throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 3600 });
  const report = (await readReports(ctx.db, [strangers[0]!.reportId])).values().next().value!;
  const by = currentCall()?.actor?.username ?? "Sonde";
  for (const { id, address } of strangers) {
    const mailbox = mailboxOf(address);
    const earlier = of.get(mailbox) ?? [];
    // Adding and removing an address does not mail it again and again.
    if (earlier.length >= maxEach || earlier.some(({ askedAtMs }) => askedAtMs > nowMs - askEveryMs)) continue;
    await ctx.db("report_confirmations").insert({ mailbox, askedAtMs: nowMs });
    await ctx.db("report_recipients").where({ id }).update({ askedAtMs: nowMs });
    const { confirm } = reportWords[report.value.language];
    const url = `${linkBase(ctx)}?token=${await recipientToken(ctx, { id, askedAtMs: nowMs }, "confirm")}`;
    await queueReportMail(ctx, await mailChannelOf(ctx.db, report.value), address, {
      key: `report-confirm-${id}-${nowMs}`,
      language: report.value.language,
      title: confirm.subject(report.name),
      text: confirm.text(by, report.name),
      links: [{ label: confirm.link, url }],
    });
  }
}

/** Mailbox of an address: without a tag (RFC 5233), and at Gmail without dots, which only Gmail ignores. */
export function mailboxOf(address: string): string {
  const [name = "", host = ""] = address.split("@");
  const [plain = ""] = name.split("+");
  return /^(gmail|googlemail)\.com$/.test(host) ? `${plain.replaceAll(".", "")}@gmail.com` : `${plain}@${host}`;
}

/** Returns the channel that mails a report: its own if it can, otherwise the oldest that can. */
export async function mailChannelOf(db: Database, { channelId = 0 }: Pick<ReportInput, "channelId">) {
  const own = await db("channels")
    .where({ id: channelId, enabled: true, userId: null })
    .whereIn("type", ["smtp", "resend"])
    .first<{ id: number } | undefined>("id");
  return own?.id ?? (await findMailChannel(db))?.id;
}

const actions = ["confirm", "end"] as const;
type Action = (typeof actions)[number];

const linkBase = ({ publicUrl }: ReportContext) => `${publicUrl}/api/reports/recipients`;

/** A link to confirm is for one request; one to unsubscribe works as long as the recipient exists. */
async function recipientToken(
  ctx: ReportContext,
  { id, askedAtMs }: Pick<ReportRecipient, "id" | "askedAtMs">,
  action: Action,
): Promise<string> {
  const about = action === "confirm" ? `${id} ${askedAtMs}` : `${id}`;
  return `${id}.${action}.${(await ctx.reportKey()).token(`recipient ${action} ${about}`)}`;
}

export const unsubscribeUrl = async (ctx: ReportContext, id: number): Promise<string> =>
  `${linkBase(ctx)}?token=${await recipientToken(ctx, { id, askedAtMs: null }, "end")}`;

/**
 * Returns the page behind a link in a mail. Opening it changes nothing, since mail scanners open links; with `confirms`
 * the recipient has pressed its button.
 * @throws AppError `invalid` if the link is not valid
 */
export async function recipientLink(
  ctx: ReportContext,
  { token, confirms }: { token: string; confirms: boolean },
): Promise<{ document: string }> {
  const [idText = "", name] = token.split(".");
  const action = actions.find((one) => one === name);
  const id = /^\d{1,9}$/.test(idText) ? Number(idText) : 0;
  const recipient = await ctx.db("report_recipients").where({ id }).first<ReportRecipient | undefined>();
  const report = recipient && (await readReports(ctx.db, [recipient.reportId])).get(recipient.reportId);
  const isLate = action === "confirm" && (recipient?.askedAtMs ?? 0) < ctx.clock.now() - confirmMs;
  const isValid = action && report && !isLate && (await recipientToken(ctx, recipient, action)) === token;
  if (!isValid) throw new AppError("invalid", "This link is invalid or has expired");
  if (confirms) {
    const confirmedAtMs = action === "confirm" ? Math.round(ctx.clock.now()) : null;
    await ctx.db("report_recipients").where({ id }).update({ confirmedAtMs });
  }
  const { language } = report.value;
  const words = reportWords[language][action];
  const page = html`<html lang="${language}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>${report.name}</title>
    </head>
    <body style="margin:3em auto;max-width:32em;padding:0 1em;font:17px/1.5 system-ui,sans-serif">
      ${
        confirms
          ? html`<p>${words.done(report.name)}</p>`
          : html`<p>${words.asked(report.name)}</p>
              <form method="post"><button style="font:inherit;padding:.5em 1.5em">${words.link}</button></form>`
      }
    </body>
  </html>`;
  return { document: `<!doctype html>\n${write(page)}\n` };
}
