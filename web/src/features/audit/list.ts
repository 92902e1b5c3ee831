import { auditActions, type AuditFilters, auditTargets } from "@sonde/proto/http/audit";
import { ownTimeZone } from "../../lib/format.ts";
import { instantOf } from "../../lib/zone-time.ts";
import { choiceFilter, type Param, textFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";

const dayMs = 86_400_000;

const dayParam: Param<string | undefined> = (text) =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? "") && !Number.isNaN(Date.parse(text ?? "")) ? (text ?? undefined) : undefined;
/** A kind of target, or a single target as `monitor:12`. */
const targetParam: Param<string | undefined> = (text) => {
  const isOne = text !== null && text.length <= 120 && auditTargets.some((type) => type === text.split(":")[0]);
  return isOne ? text : undefined;
};
const entryParam: Param<string | undefined> = (text) =>
  /^[0-9a-f-]{36}$/.test(text ?? "") ? (text ?? undefined) : undefined;

export function useAuditList() {
  return useList({
    pageSize: 50,
    sortFields: ["at"],
    filters: {
      actor: textFilter(200),
      action: choiceFilter(auditActions),
      target: targetParam,
      from: dayParam,
      until: dayParam,
    },
    display: { open: entryParam },
  });
}
export type AuditList = ReturnType<typeof useAuditList>;

/** Converts filters for the server. The last day is included. */
export function filtersOf({ actor, action, target, from, until }: AuditList["params"]): AuditFilters {
  return { actor, action, target, since: startOf(from, 0), until: startOf(until, 1) };
}

/** Start of a day in the user's time zone, plus some days. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  if (day === undefined) return undefined;
  const date = new Date(Date.parse(day) + daysLater * dayMs).toISOString().slice(0, 10);
  const atMs = instantOf(`${date}T00:00`, ownTimeZone());
  return atMs === null ? undefined : new Date(atMs).toISOString();
}
