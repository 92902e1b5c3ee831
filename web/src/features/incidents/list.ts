import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import { choiceFilter, choiceParam, textFilter } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";

// Repeated here and checked against the contract's type: importing the values would add zod to the list's chunk.
export const incidentKinds = [
  "down",
  "offline",
  "threshold",
  "stale",
  "partial",
  "slow",
  "external",
  "slo",
] as const satisfies readonly IncidentKind[];
const answers = ["true", "false"] as const;
export const incidentGroups = ["reason", "tag", "host"] as const;
export type IncidentGroup = (typeof incidentGroups)[number];

/** The server's default order: open incidents first, then newest first. Requested by sending no order. */
const ownOrder = "-openedAt";

export function useIncidentList() {
  const list = useList({
    // Large enough for the incidents of an outage, which form one row.
    pageSize: 100,
    sortFields: ["openedAt", "closedAt"],
    initialSort: ownOrder,
    display: { group: choiceParam(incidentGroups) },
    filters: {
      open: choiceFilter(answers),
      kind: choiceFilter(incidentKinds),
      acknowledged: choiceFilter(answers),
      target: targetFilter,
      ids: idsFilter,
    },
  });
  const { sort, ids } = list.query;
  return { ...list, query: { ...list.query, ids: ids?.split(","), sort: sort === ownOrder ? undefined : sort } };
}
export type IncidentListState = ReturnType<typeof useIncidentList>;

const anyText = textFilter(18);

/** `monitor:12` or `agent:3`. Anything else is ignored. */
function targetFilter(text: string | null): string | undefined {
  const target = anyText(text);
  return /^(?:monitor|agent):[1-9]\d{0,9}$/.test(target ?? "") ? target : undefined;
}

/** The server accepts at most 200. Anything else is ignored. */
function idsFilter(text: string | null): string | undefined {
  return text !== null && /^[ma][1-9]\d{0,9}(?:,[ma][1-9]\d{0,9}){0,199}$/.test(text) ? text : undefined;
}
