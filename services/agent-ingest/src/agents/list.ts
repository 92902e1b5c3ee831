import { orUnavailable } from "@sonde/kit/postgres";
import type { ListAgentsRequest } from "@sonde/proto/gen/agents/v1/agents";
import type { Context } from "../context.ts";
import { type AgentInit, presentAgents } from "./present.ts";
import * as store from "./store.ts";

/** One page, with usage alone of the newest samples. */
export async function listAgents(
  { db }: Context,
  request: ListAgentsRequest,
): Promise<{ agents: AgentInit[]; total: number }> {
  const { page, pageSize } = request;
  const query = { ...request, page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50) };
  return orUnavailable(async () => {
    const { agents, total } = await store.listAgents(db, query);
    return { agents: await presentAgents(db, agents, { light: true }), total };
  });
}
