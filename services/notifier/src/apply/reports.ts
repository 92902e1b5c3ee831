import type { AppliedKind } from "@sonde/domain/managed/apply";
import { type ConfigIds, missing } from "@sonde/domain/managed/ids";
import type { ReportEntry } from "@sonde/proto/http/config/document";
import type { ReportInput } from "@sonde/proto/http/reports";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import { changedFields, removeNamed } from "../on-call/named.ts";
import type { ReportContext } from "../reports/context.ts";
import { addReport, changeReport } from "../reports/reports.ts";
import { readReports, reportKind, type ReportRow } from "../reports/store.ts";
import { alikeByName, nameOf, writeEach } from "./named.ts";

export const recipientsIn = (lines: readonly ConfigLine[]): string[] =>
  lines.flatMap(({ kind, fields }) => (kind === "report" ? ((fields as ReportEntry).recipients ?? []) : []));

/** Reports, which refer to monitors, agents and channels by key. The gateway has checked that the targets exist. */
export function reportsOf(
  ctx: ReportContext,
  ids: ConfigIds,
  accounts: ReadonlySet<string>,
): AppliedKind<ReportRow, ReportInput> {
  return {
    kind: "report",
    find: readReports,
    findAlike: alikeByName("reports"),
    plan: async (line, before, dropped) => {
      const { targets, page, channel, name: _name, ...fields } = line.fields as ReportEntry;
      const channelId = channel === undefined ? undefined : ids.get("channel", channel);
      if (channel !== undefined && channelId === undefined) throw missing(`channels.${channel}`, "channel");
      const next: ReportInput = {
        timeZone: "UTC",
        language: "en-US",
        recipients: [],
        ...fields,
        name: nameOf(line, before, dropped),
        pageId: page,
        targets: targets?.map((target, at) => ids.target(target, `targets.${at}`)),
        channelId,
      };
      const changed = before === null ? [] : changedFields(reportKind, contentOf(before), withNulls(next));
      return { next, changes: changed.map((path) => ({ path, from: contentOf(before!)[path], to: next[path] })) };
    },
    write: (trx, written) =>
      writeEach(
        written,
        (next) => addReport({ ...ctx, db: trx }, trx, next, accounts),
        (id, next) => changeReport({ ...ctx, db: trx }, trx, { id, patch: withNulls(next), isOwner: true }, accounts),
      ),
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeNamed(trx, reportKind, id, true);
    },
  };
}

const contentOf = ({ name, value }: ReportRow): ReportInput => ({ name, ...value });
const withNulls = ({ targets = null!, tag = null!, pageId = null!, channelId = null!, ...rest }: ReportInput) => ({
  targets,
  tag,
  pageId,
  channelId,
  ...rest,
});
