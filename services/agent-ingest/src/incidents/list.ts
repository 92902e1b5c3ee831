import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ListAgentIncidentsRequest } from "@sonde/proto/gen/agents/v1/agents";
import type { Context } from "../context.ts";
import { type IncidentInit, listIncidents as read } from "./store.ts";

/** One page of agents' incidents, newest first unless asked otherwise. */
export async function listIncidents(
  { db }: Context,
  { page, pageSize, open, agentId: targetId, search, sort }: ListAgentIncidentsRequest,
): Promise<{ incidents: IncidentInit[]; total: number }> {
  const query = { page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50), open, targetId, search, sort };
  return orUnavailable(() => read(db, query));
}
