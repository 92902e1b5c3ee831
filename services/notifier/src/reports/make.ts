import { AppError, impossible } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { chainOf, firstHash, type ReportData, unpackReport } from "@sonde/proto/http/report-proof";
import { findNamed, recordNamed } from "../on-call/named.ts";
import { addMessage } from "../on-call/notices.ts";
import { collect } from "./collect.ts";
import type { ReportContext } from "./context.ts";
import { signDocument, writeDocument } from "./document.ts";
import { queueReportMail, reportMessage } from "./mails.ts";
import { periodAt, periodBefore, readPeriod, type ReportPeriod } from "./periods.ts";
import { accountsAmong, mailChannelOf, unsubscribeUrl } from "./recipients.ts";
import {
  addIssue,
  correctionOf,
  claimDue,
  findIssue,
  latestIssue,
  readRecipients,
  reportKind,
  type ReportRow,
} from "./store.ts";
import { reportWords } from "./words.ts";

/** Results that arrive late still count. */
const settleMs = 5 * 60_000;
/** Longer than making a report takes. Then it is tried again, also if its process was killed. */
const againMs = 60_000;

type Timed = Pick<ReportRow["value"], "every" | "timeZone">;
export const dueAfter = ({ every, timeZone }: Timed, nowMs: number): number =>
  periodAt(every, timeZone, nowMs - settleMs).untilMs + settleMs;
const lastPeriod = ({ every, timeZone }: Timed, nowMs: number): ReportPeriod =>
  periodBefore(timeZone, periodAt(every, timeZone, nowMs - settleMs));

/**
 * Makes a report that is due, of the last period that has ended. Periods before it that were missed are left out. If a
 * service is unavailable, it is tried again. Returns how many were due.
 */
export async function makeDue(ctx: ReportContext): Promise<number> {
  const nowMs = Math.round(ctx.clock.now());
  const row = await claimDue(ctx.db, nowMs, nowMs + againMs);
  if (row === undefined) return 0;
  const fields = { report: row.id, period: lastPeriod(row.value, nowMs).id };
  try {
    await makeReport(ctx, row, lastPeriod(row.value, nowMs), false);
    ctx.log.info(fields, "report made");
  } catch (err) {
    ctx.log.warn({ err, ...fields }, "making a report failed");
    const isFinal = err instanceof AppError && ["impossible", "not_found"].includes(err.code);
    if (isFinal) await plan(ctx.db, row, nowMs);
  }
  return 1;
}

const plan = (db: Database, { id, value }: ReportRow, nowMs: number): Promise<number> =>
  db("reports")
    .where({ id })
    .update({ dueAtMs: dueAfter(value, nowMs) });

/** More in a day would flood recipients. */
const maxSentInDay = 10;

/**
 * Makes and sends the report of a period that has ended. If it exists, a correction.
 * @throws AppError `not_found`; `impossible` with the reason; `too_many`; `unavailable`
 */
export async function sendReport(
  ctx: ReportContext,
  { id, period: given }: { id: number; period?: string | undefined },
): Promise<void> {
  const row = await findNamed(ctx.db, reportKind, id);
  const { every, timeZone } = row.value;
  const nowMs = ctx.clock.now();
  const period = given === undefined ? lastPeriod(row.value, nowMs) : readPeriod(every, timeZone, baseOf(given));
  if (period === undefined) {
    const example = periodAt(every, timeZone, nowMs).id;
    throw impossible([{ path: "period", message: "Enter a period such as {example}", params: { example } }]);
  }
  if (period.untilMs + settleMs > nowMs) {
    const at = new Date(period.untilMs + settleMs).toISOString();
    throw impossible([{ path: "period", message: "This period can be reported from {at}", params: { at } }]);
  }
  const [counted] = await ctx
    .db("report_issues")
    .where({ reportId: id })
    .where("created_at_ms", ">", Math.round(nowMs - 86_400_000))
    .count<{ count: number }[]>("* as count");
  if ((counted?.count ?? 0) >= maxSentInDay)
    throw new AppError("too_many", "Too many requests, please try again later", { retryAfterSeconds: 3600 });
  try {
    await makeReport(ctx, row as ReportRow, period, true);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "impossible" || error.details.length > 0) throw error;
    throw impossible([{ path: "period", message: error.key, params: error.params }]);
  }
}

/** The number of a correction follows from the reports that exist. */
const baseOf = (period: string) => period.replace(/\..*/, "");

/** Freezes a report with its messages in one transaction, so that each is sent once however often processes die. */
async function makeReport(ctx: ReportContext, { id, name, value }: ReportRow, period: ReportPeriod, corrects: boolean) {
  const nowMs = Math.round(ctx.clock.now());
  const content = await collect(ctx.sources, value, period, nowMs);
  const [key, accounts] = await Promise.all([ctx.reportKey(), accountsAmong(ctx, value.recipients)]);
  await ctx.db.transaction(async (trx) => {
    const row = (await findNamed(trx, reportKind, id, true)) as ReportRow;
    if (!corrects) await plan(trx, row, nowMs);
    const issueId = corrects ? await correctionOf(trx, id, period.id) : period.id;
    if (!corrects && (await findIssue(trx, id, period.id)) !== undefined) return;
    const before = await latestIssue(trx, id);
    const previous = before === undefined ? firstHash : (unpackReport(before.document).hashes.at(-1) ?? firstHash);
    const data: ReportData = {
      name,
      period: issueId,
      every: value.every,
      timeZone: value.timeZone,
      language: value.language,
      from: new Date(period.fromMs).toISOString(),
      until: new Date(period.untilMs).toISOString(),
      createdAt: new Date(nowMs).toISOString(),
      ...content,
      previous,
      hashes: chainOf({ previous, ...content }),
      publicKey: key.publicKey,
    };
    const document = signDocument(writeDocument(data), key.sign);
    const recipients = (await readRecipients(trx, [id])).filter(
      ({ address, isUser, confirmedAtMs }) => confirmedAtMs !== null && (!isUser || accounts.has(address)),
    );
    const within = { ...ctx, db: trx };
    const message = {
      ...reportMessage(ctx, { data, key, reportId: id, period: issueId }),
      key: `report-${id}-${issueId}`,
    };
    const channelId = await mailChannelOf(trx, row.value);
    let sent = 0;
    try {
      for (const { id: recipientId, address } of recipients) {
        const url = await unsubscribeUrl(ctx, recipientId);
        const links = [...message.links, { label: reportWords[value.language].unsubscribe, url }];
        const mail = { ...message, links, key: `${message.key}-${recipientId}` };
        await queueReportMail(within, channelId, address, mail, url);
        sent += 1;
      }
    } catch (err) {
      // The report is still made, and shows that it had no recipients.
      if (!(err instanceof AppError)) throw err;
      ctx.log.warn({ err, report: id, channelId }, "no channel can mail a report");
    }
    if (row.value.channelId !== undefined && row.value.channelId !== channelId) {
      const notice = { kind: "report" as const, reportId: id, period: issueId };
      await addMessage(trx, row.value.channelId, { key: message.key, notice, nowMs });
    }
    if (corrects) await recordNamed(trx, "report", "send", row, { after: { period: issueId } });
    const { fromMs, untilMs } = period;
    await addIssue(trx, { reportId: id, period: issueId, fromMs, untilMs, createdAtMs: nowMs, sent, document });
  });
  ctx.committed();
  ctx.due();
}
