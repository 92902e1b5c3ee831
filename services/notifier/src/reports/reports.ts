import { ownersOf } from "@sonde/domain/managed/table";
import { AppError, type FieldFault, impossible, orNull } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import type { ReportDefinition, ReportInput, ReportPatch, reportsQuery } from "@sonde/proto/http/reports";
import { unpackReport } from "@sonde/proto/http/report-proof";
import type { z } from "zod";
import type { StoredChannel } from "../channels/channels.ts";
import { addNamed, changeNamed, changing, findNamed, instantOf, pageOf, removeNamed } from "../on-call/named.ts";
import { findTargets } from "./collect.ts";
import type { ReportContext } from "./context.ts";
import { writeCsv } from "./csv.ts";
import { issuePath, issueToken } from "./mails.ts";
import { dueAfter, sendReport } from "./make.ts";
import { accountsAmong, mailChannelOf, saveRecipients } from "./recipients.ts";
import { findIssue, readIssues, readRecipients, reportKind, type ReportRow } from "./store.ts";

export async function listReports(
  ctx: ReportContext,
  { sort, ...query }: z.output<typeof reportsQuery>,
): Promise<{ reports: ReportDefinition[]; total: number; publicKey: string }> {
  const order = sort === "-name" ? "desc" : "asc";
  const { rows, total } = await pageOf<ReportRow>(ctx.db, reportKind, query, [
    { column: "name", order },
    { column: "id" },
  ]);
  return { reports: await present(ctx, rows), total, publicKey: (await ctx.reportKey()).pem };
}

/** @throws AppError `not_found` */
export async function getReport(ctx: ReportContext, id: number): Promise<ReportDefinition> {
  const [report] = await present(ctx, [(await findNamed(ctx.db, reportKind, id)) as ReportRow]);
  return report!;
}

/** While monitors or agents are unavailable, targets have their ids as names. */
async function present(ctx: ReportContext, rows: readonly ReportRow[]): Promise<ReportDefinition[]> {
  const ids = rows.map(({ id }) => id);
  const targets = rows.flatMap(({ value }) => value.targets ?? []);
  const [owners, recipients, issues, key, found] = await Promise.all([
    ownersOf(ctx.db, "report", ids),
    readRecipients(ctx.db, ids),
    readIssues(ctx.db, ids),
    ctx.reportKey(),
    orNull(findTargets(ctx.sources, { targets: uniqueBy(targets, keyOf) })),
  ]);
  const names = new Map(found?.map((target) => [keyOf(target), target.name]));
  const confirmed = new Set(
    recipients.flatMap(({ reportId, address, confirmedAtMs }) =>
      confirmedAtMs === null ? [] : `${reportId} ${address}`,
    ),
  );
  const issuesOf = Map.groupBy(issues, ({ reportId }) => reportId);
  return rows.map(({ id, name, value, dueAtMs, createdAtMs, updatedAtMs }) => ({
    ...value,
    id,
    name,
    targets: value.targets?.flatMap((target) => {
      const known = names.get(keyOf(target));
      // Deleted ones are left out.
      return known === undefined && found !== null ? [] : [{ ...target, name: known ?? `#${target.id}` }];
    }),
    recipients: value.recipients.map((address) => {
      return { address, isConfirmed: confirmed.has(`${id} ${address.toLowerCase()}`) };
    }),
    nextAt: instantOf(dueAtMs),
    issues: (issuesOf.get(id) ?? []).map(({ period, fromMs, untilMs, createdAtMs: atMs, sent }) => ({
      period,
      from: instantOf(fromMs),
      until: instantOf(untilMs),
      createdAt: instantOf(atMs),
      sent,
      link: issuePath(key, id, period),
    })),
    managed: owners.get(id),
    createdAt: instantOf(createdAtMs),
    updatedAt: instantOf(updatedAtMs),
  }));
}

const keyOf = ({ type, id }: { type: string; id: number }) => `${type}:${id}`;
const uniqueBy = <Item>(items: readonly Item[], key: (item: Item) => string): Item[] => [
  ...new Map(items.map((item) => [key(item), item])).values(),
];

/** @throws AppError `impossible` if there are too many, or if it names something that does not exist; `too_many` */
export async function createReport(ctx: ReportContext, input: ReportInput): Promise<ReportDefinition> {
  await refuseUnknown(ctx, input, input);
  const accounts = await accountsAmong(ctx, input.recipients);
  return getReport(ctx, await changing(ctx, (trx) => addReport(ctx, trx, input, accounts)));
}

/** Adds a checked report, in the caller's transaction. */
export async function addReport(
  ctx: ReportContext,
  trx: Database,
  input: ReportInput,
  accounts: ReadonlySet<string>,
): Promise<number> {
  const nowMs = Math.round(ctx.clock.now());
  const { id } = await addNamed(trx, reportKind, input, nowMs, { dueAtMs: dueAfter(input, nowMs) });
  await saveRecipients(ctx, trx, { id, recipients: input.recipients }, accounts);
  return id;
}

/** Changes the given fields; `null` removes one. A new scope replaces the others. @throws as `createReport`, `conflict` */
export async function updateReport(ctx: ReportContext, id: number, patch: ReportPatch): Promise<ReportDefinition> {
  const { name, value } = await findNamed(ctx.db, reportKind, id);
  const whole = withOneScope(patch);
  const next = { ...value, name, ...whole } as ReportInput;
  if (scopes.every((scope) => next[scope] == null))
    throw impossible([{ path: "targets", message: "Choose monitors and agents, a tag, or a status page" }]);
  await refuseUnknown(ctx, whole, next);
  const accounts = await accountsAmong(ctx, patch.recipients ?? []);
  await changing(ctx, (trx) => changeReport(ctx, trx, { id, patch: whole, isOwner: false }, accounts));
  return getReport(ctx, id);
}

const scopes = ["targets", "tag", "pageId"] as const;
function withOneScope(patch: ReportPatch): ReportPatch {
  const given = scopes.filter((scope) => patch[scope] != null);
  if (given.length > 1)
    throw impossible([{ path: given[1]!, message: "Choose monitors and agents, a tag, or a status page" }]);
  return given.length === 0
    ? patch
    : { ...patch, targets: null, tag: null, pageId: null, [given[0]!]: patch[given[0]!] };
}

/** Changes a report with a checked patch, in the caller's transaction. */
export async function changeReport(
  ctx: ReportContext,
  trx: Database,
  { id, patch, isOwner }: { id: number; patch: ReportPatch; isOwner: boolean },
  accounts: ReadonlySet<string>,
): Promise<void> {
  const nowMs = Math.round(ctx.clock.now());
  const { value } = await changeNamed(trx, reportKind, id, patch, { nowMs, isOwner });
  if (patch.every !== undefined || patch.timeZone !== undefined)
    await trx("reports")
      .where({ id })
      .update({ dueAtMs: dueAfter(value, nowMs) });
  await saveRecipients(ctx, trx, { id, recipients: value.recipients }, accounts);
}

/** Deletes a definition with its reports. @throws AppError `not_found`, `conflict` if a source owns it */
export const removeReport = (ctx: ReportContext, id: number): Promise<void> =>
  changing(ctx, (trx) => removeNamed(trx, reportKind, id, false));

/** @throws AppError as `sendReport` of make.ts */
export async function sendNow(
  ctx: ReportContext,
  input: { id: number; period?: string | undefined },
): Promise<ReportDefinition> {
  await sendReport(ctx, input);
  return getReport(ctx, input.id);
}

/** @throws AppError `not_found` if there is no such report, or the token is not valid */
export async function readReport(
  ctx: ReportContext,
  { id, period, format, token }: { id: number; period: string; format: "html" | "csv"; token?: string | undefined },
): Promise<{ document: string }> {
  const missing = new AppError("not_found", "Report does not exist");
  if (token !== undefined && token !== issueToken(await ctx.reportKey(), id, period)) throw missing;
  const issue = await findIssue(ctx.db, id, period);
  if (issue === undefined) throw missing;
  return { document: format === "html" ? issue.document : writeCsv(unpackReport(issue.document)) };
}

/** Checks the changed fields. @throws AppError `impossible` with the path of each that names nothing usable */
async function refuseUnknown(ctx: ReportContext, changed: ReportPatch, next: ReportInput): Promise<void> {
  const faults: FieldFault[] = [];
  const { targets, pageId, channelId } = changed;
  if (targets != null) {
    const found = new Set((await findTargets(ctx.sources, { targets })).map(keyOf));
    for (const [at, target] of targets.entries()) {
      const message = target.type === "monitor" ? "There is no monitor with ID {id}" : "There is no agent with ID {id}";
      if (!found.has(keyOf(target))) faults.push({ path: `targets.${at}.id`, message, params: { id: target.id } });
    }
  }
  if (pageId != null) {
    const page = await ctx.sources.statusPage.getPage({ slug: pageId }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "not_found") return null;
      throw error;
    });
    if (page === null) faults.push({ path: "pageId", message: "Page does not exist" });
  }
  if (channelId != null) {
    const channel = await ctx
      .db("channels")
      .where({ id: channelId, userId: null })
      .first<Pick<StoredChannel, "type"> | undefined>("type");
    if (channel === undefined) faults.push({ path: "channelId", message: "Notification channel does not exist" });
    else if (ctx.channelOf(channel.type).reader === "machine")
      faults.push({ path: "channelId", message: "Choose a channel that people read" });
  }
  const mails = changed.recipients?.length ? await mailChannelOf(ctx.db, next) : 0;
  if (mails === undefined)
    faults.push({ path: "recipients", message: "Reports need an SMTP or Resend channel to be mailed" });
  else if (mails > 0 && ctx.publicUrl === null)
    faults.push({ path: "recipients", message: "Links can be emailed only if PUBLIC_URL is set" });
  if (faults.length > 0) throw impossible(faults.slice(0, 50));
}
