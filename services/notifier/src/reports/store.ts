import type { Database } from "@sonde/kit/postgres/database";
import { maxReports, type ReportInput } from "@sonde/proto/http/reports";
import type { NamedKind, NamedRow } from "../on-call/named.ts";

export type ReportRow = NamedRow<ReportInput> & { dueAtMs: number };

export const reportKind: NamedKind<ReportInput> = {
  kind: "report",
  table: "reports",
  fields: ["name", "targets", "tag", "pageId", "every", "timeZone", "language", "recipients", "channelId"],
  max: maxReports,
  missing: "Report does not exist",
  full: "The limit of {max} reports has been reached: delete one first",
};

export async function readReports(db: Database, ids: readonly number[]): Promise<Map<number, ReportRow>> {
  const rows = await db("reports")
    .whereRaw("id = any(?::int[])", [[...ids]])
    .select<ReportRow[]>();
  return new Map(rows.map((row) => [row.id, row]));
}

export type ReportRecipient = {
  id: number;
  reportId: number;
  address: string;
  isUser: boolean;
  confirmedAtMs: number | null;
  askedAtMs: number | null;
};

export const readRecipients = (db: Database, reportIds: readonly number[]): Promise<ReportRecipient[]> =>
  db("report_recipients")
    .whereRaw("report_id = any(?::int[])", [[...reportIds]])
    .orderBy("id");

export const addRecipients = (
  trx: Database,
  rows: readonly Omit<ReportRecipient, "id" | "askedAtMs">[],
): Promise<ReportRecipient[]> => trx("report_recipients").insert(rows).returning<ReportRecipient[]>("*");

export type Issue = {
  reportId: number;
  period: string;
  fromMs: number;
  untilMs: number;
  createdAtMs: number;
  sent: number;
  document: string;
};

/** Reports of each definition that are kept. */
export const maxIssues = 24;

/** Returns the newest first, without their documents. */
export const readIssues = (db: Database, reportIds: readonly number[]): Promise<Omit<Issue, "document">[]> =>
  db("report_issues")
    .whereRaw("report_id = any(?::int[])", [[...reportIds]])
    .orderBy([
      { column: "created_at_ms", order: "desc" },
      { column: "period", order: "desc" },
    ])
    .select("report_id", "period", "from_ms", "until_ms", "created_at_ms", "sent");

export const findIssue = (db: Database, reportId: number, period: string): Promise<Issue | undefined> =>
  db("report_issues").where({ reportId, period }).first<Issue | undefined>();

export const latestIssue = (db: Database, reportId: number): Promise<Issue | undefined> =>
  db("report_issues")
    .where({ reportId })
    .orderBy([
      { column: "created_at_ms", order: "desc" },
      { column: "period", order: "desc" },
    ])
    .first<Issue | undefined>();

/** Returns the id of the next report about a period: `2026-11`, `2026-11.2` and so on. */
export async function correctionOf(trx: Database, reportId: number, period: string): Promise<string> {
  const ids = await trx("report_issues")
    .where({ reportId })
    .whereRaw("split_part(period, '.', 1) = ?", [period])
    .pluck<string[]>("period");
  const last = Math.max(0, ...ids.map((id) => Number(id.split(".")[1] ?? 1)));
  return last === 0 ? period : `${period}.${last + 1}`;
}

/** Adds a report, and deletes the oldest of the definition beyond the limit. */
export async function addIssue(trx: Database, issue: Issue): Promise<void> {
  await trx("report_issues").insert(issue);
  await trx.raw(
    `delete from report_issues where report_id = ? and period not in (
       select period from report_issues where report_id = ? order by created_at_ms desc, period desc limit ${maxIssues})`,
    [issue.reportId, issue.reportId],
  );
}

/** Claims a report that is due until it is tried again. Returns undefined if none is due. */
export async function claimDue(db: Database, nowMs: number, againAtMs: number): Promise<ReportRow | undefined> {
  const { rows } = await db.raw<{ rows: ReportRow[] }>(
    `update reports set due_at_ms = :againAtMs where id = (
       select id from reports where due_at_ms <= :nowMs order by due_at_ms, id limit 1 for update skip locked
     ) returning *`,
    { nowMs, againAtMs },
  );
  return rows[0];
}

/** Returns how many confirmations were mailed in the last day: in total, and to each mailbox with the last instant. */
export async function recentConfirmations(trx: Database, nowMs: number) {
  await trx.raw("lock table report_confirmations in share row exclusive mode");
  await trx("report_confirmations")
    .where("asked_at_ms", "<=", nowMs - 86_400_000)
    .delete();
  const rows = await trx("report_confirmations").select<{ mailbox: string; askedAtMs: number }[]>();
  return { total: rows.length, of: Map.groupBy(rows, ({ mailbox }) => mailbox) };
}
