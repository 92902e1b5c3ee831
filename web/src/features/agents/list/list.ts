import type { agentFigureSorts as sorts, AgentStatus } from "@sonde/proto/http/agents/agents";
import { useMedia } from "../../../lib/hooks.ts";
import { choiceFilter, textFilter } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";

// Repeated here and checked against the contract's type: importing the values would add zod to the list's chunk.
export const agentStatuses = ["online", "connecting", "offline"] as const satisfies readonly AgentStatus[];
const agentFigureSorts = ["cpu", "memory", "disk", "network", "load"] as const satisfies typeof sorts;

export const agentSortFields = ["name", "status", "hostname", "lastSeen", "createdAt", ...agentFigureSorts] as const;

/** State of the agent list. Narrow windows show cards by default. */
export function useAgentList() {
  const isNarrow = useMedia("(width < 48rem)");
  const list = useList({
    pageSize: 48,
    sortFields: agentSortFields,
    // Offline agents first, then the highest usage.
    initialSort: "status",
    filters: { status: choiceFilter(agentStatuses), tag: textFilter(40) },
    display: { view: choiceFilter(["table", "cards"]) },
  });
  return { ...list, view: list.params.view ?? (isNarrow ? "cards" : "table") };
}
export type AgentList = ReturnType<typeof useAgentList>;
type SortField = (typeof agentSortFields)[number];

/** Initial sort direction of a field: descending for figures, ascending for the rest. */
export function firstOrder(field: SortField): SortField | `-${SortField}` {
  return agentFigureSorts.some((figure) => figure === field) ? `-${field}` : field;
}

export const agentFieldOf = (sort: SortField | `-${SortField}`): SortField =>
  agentSortFields.find((field) => sort === field || sort === `-${field}`) ?? "name";
