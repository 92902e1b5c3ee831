import { orUnavailable } from "@sonde/kit/postgres/database";
import type { ListIncidentsRequest } from "@sonde/proto/gen/monitors/v1/monitors";
import type { Context } from "../context.ts";
import { type IncidentInit, listIncidents as read } from "./store.ts";

/** One page of incidents, newest first unless asked otherwise. */
export async function listIncidents(
  { db }: Context,
  { page, pageSize, open, monitorId: targetId, search, sort }: ListIncidentsRequest,
): Promise<{ incidents: IncidentInit[]; total: number }> {
  const query = { page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50), open, targetId, search, sort };
  return orUnavailable(() => read(db, query));
}
