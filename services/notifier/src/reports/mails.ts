import type { Language } from "@sonde/proto/http/messages";
import { type ReportData, unpackReport } from "@sonde/proto/http/report-proof";
import { mailOf } from "../channels/mail/mail.ts";
import { queueMail } from "../mails/queue.ts";
import { formatInstant, formatSpan, lineOf } from "../messages/format.ts";
import type { ChannelMessage } from "../messages/message.ts";
import type { ReportContext } from "./context.ts";
import type { ReportKey } from "./key.ts";
import { findIssue, type Issue } from "./store.ts";
import { minutesMs, summaryOf, worstFirst } from "./summary.ts";
import { percentOf } from "@sonde/proto/http/report-proof";
import { reportWords } from "./words.ts";

type Written = Pick<ChannelMessage, "key" | "language" | "title" | "text" | "links"> &
  Partial<Pick<ChannelMessage, "tone" | "fields">>;

const messageOf = (written: Written, atMs: number): ChannelMessage => ({
  tone: "info",
  fields: [],
  entries: [],
  alerts: [],
  footer: `Sonde · ${formatInstant(atMs)}`,
  atMs,
  isTest: false,
  ...written,
});

/** Queues a mail once for each key, in the caller's transaction. @throws AppError `impossible` if no channel can send it */
export async function queueReportMail(
  ctx: ReportContext,
  channelId: number | undefined,
  to: string,
  written: Written,
  unsubscribe?: string,
): Promise<void> {
  const { headers, ...mail } = mailOf(messageOf(written, ctx.clock.now()));
  // RFC 8058: mail clients unsubscribe with one POST to this address.
  const ending = { "List-Unsubscribe": `<${unsubscribe}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };
  const all = Object.entries({ ...headers, ...(unsubscribe !== undefined && ending) });
  const content = { ...mail, to, headers: all.map(([name, value]) => ({ name, value })) };
  await queueMail(ctx, { channelId: channelId ?? 0, key: written.key, ...content });
}

export const issueToken = (key: ReportKey, reportId: number, period: string): string =>
  key.token(`report ${reportId} ${period}`);

/** Path of a report's document that needs no session. */
export const issuePath = (key: ReportKey, reportId: number, period: string): string =>
  `/api/reports/${reportId}/${period}.html?token=${issueToken(key, reportId, period)}`;

/** More are counted. */
const maxListed = 10;

/** Writes the message about a report: what happened, the worst targets or all incidents of the day, and a link. */
export function reportMessage(
  ctx: Pick<ReportContext, "publicUrl">,
  { data, key, reportId, period }: { data: ReportData; key: ReportKey; reportId: number; period: string },
): Pick<ChannelMessage, "language" | "title" | "text" | "links" | "tone" | "fields"> {
  const language = data.language as Language;
  const words = reportWords[language];
  const lasted = (minutes: number) => formatSpan(minutesMs(minutes), language);
  const rows = worstFirst(data).filter(({ down }) => down > 0);
  const fields =
    data.every === "day"
      ? data.incidents.map(({ name, from, minutes, cause, until }) => {
          const at = formatInstant(Date.parse(from), data.timeZone).slice(11, 16);
          const facts = [words.incident(at, lasted(minutes), until === undefined), cause];
          return { label: lineOf(name, 60), value: facts.filter(Boolean).join("\n") };
        })
      : rows.map((row) => ({
          label: lineOf(row.name, 60),
          value: words.downFor(lasted(row.down), percentOf(row)),
        }));
  const text = fields.length > maxListed ? `\n${words.more(fields.length - maxListed)}` : "";
  const url =
    ctx.publicUrl === null ? [] : [{ label: words.read, url: ctx.publicUrl + issuePath(key, reportId, period) }];
  return {
    language,
    tone: rows.length === 0 ? "good" : "bad",
    title: words.title(words.titles[data.every], data.name, data.period),
    text: `${summaryOf(data)}${text}`,
    fields: fields.slice(0, maxListed),
    links: url,
  };
}

/** A message of a report to a channel; see Notice. */
export async function writeReportNotice(
  ctx: Pick<ReportContext, "db" | "clock" | "publicUrl" | "reportKey">,
  { reportId, period }: Pick<Issue, "reportId" | "period">,
  key: string,
): Promise<ChannelMessage | undefined> {
  const issue = await findIssue(ctx.db, reportId, period);
  if (issue === undefined) return undefined;
  const data = unpackReport(issue.document);
  const message = reportMessage(ctx, { data, key: await ctx.reportKey(), reportId, period });
  return messageOf({ key, ...message }, issue.createdAtMs);
}
