import { choiceFilter, choiceParam } from "../../lists/params.ts";
import { useList } from "../../lists/use-list.ts";
import { agentStatuses } from "./statuses.ts";

export const agentSortFields = ["name", "status", "hostname", "lastSeen", "createdAt"] as const;
export const agentViews = ["cards", "table"] as const;

/** The state of the agent list. */
export function useAgentList() {
  return useList({
    pageSize: 48,
    sortFields: agentSortFields,
    filters: { status: choiceFilter(agentStatuses) },
    display: { view: choiceParam(agentViews) },
  });
}
export type AgentList = ReturnType<typeof useAgentList>;
