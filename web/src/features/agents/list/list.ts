import type { agentFigureSorts as sorts, AgentStatus } from "@sonde/proto/http/agents/agents";
import { useMedia } from "../../../lib/hooks.ts";
import { choiceFilter, textFilter } from "../../../lists/params.ts";
import { useList } from "../../../lists/use-list.ts";

// Spelled here once more, checked against the contract: importing the values would bring zod into the list's chunk.
export const agentStatuses = ["online", "connecting", "offline"] as const satisfies readonly AgentStatus[];
const agentFigureSorts = ["cpu", "memory", "disk", "network", "load"] as const satisfies typeof sorts;

export const agentSortFields = ["name", "status", "hostname", "lastSeen", "createdAt", ...agentFigureSorts] as const;

/** The state of the agent list. A window too narrow for a table of figures shows cards, unless a choice was made. */
export function useAgentList() {
  const isNarrow = useMedia("(width < 48rem)");
  const list = useList({
    pageSize: 48,
    sortFields: agentSortFields,
    // What is offline comes first, then what is used most.
    initialSort: "status",
    filters: { status: choiceFilter(agentStatuses), tag: textFilter(40) },
    display: { view: choiceFilter(["table", "cards"]) },
  });
  return { ...list, view: list.params.view ?? (isNarrow ? "cards" : "table") };
}
export type AgentList = ReturnType<typeof useAgentList>;
type SortField = (typeof agentSortFields)[number];

/** The order that a field is first sorted in: figures from the greatest down, everything else upward. */
export function firstOrder(field: SortField): SortField | `-${SortField}` {
  return agentFigureSorts.some((figure) => figure === field) ? `-${field}` : field;
}

export const agentFieldOf = (sort: SortField | `-${SortField}`): SortField =>
  agentSortFields.find((field) => sort === field || sort === `-${field}`) ?? "name";
