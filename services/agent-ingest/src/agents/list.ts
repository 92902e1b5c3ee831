import { create, toBinary } from "@bufbuild/protobuf";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { AgentSchema, type ListAgentsRequest } from "@sonde/proto/gen/agents/v1/agents";
import type { StoredAgent } from "./agent.ts";
import { type AgentInit, presentAgents, type PresentContext } from "./present.ts";
import * as store from "./store.ts";

const largestId = 2_147_483_647;
/** A message of the bus holds 1 MiB. */
const mostBytes = 512 * 1024;
/** Whole samples are read to tell their usage: few at once, so that other work gets its turn. */
const readAtOnce = 20;

/**
 * One page, with usage alone of the newest samples, as far as it fits into one message of the bus, and the ids of the
 * page's rest.
 */
export async function listAgents(
  ctx: PresentContext,
  request: ListAgentsRequest,
): Promise<{ agents: AgentInit[]; total: number; restIds: number[] }> {
  const { page, pageSize } = request;
  const ids = request.ids.filter((id) => id <= largestId);
  const query = { ...request, ids, page: Math.max(1, page), pageSize: Math.min(200, pageSize || 50) };
  return orUnavailable(async () => {
    const { agents, total } = await store.listAgents(ctx.db, query);
    const shown = await presentFitting(ctx, agents);
    return { agents: shown, total, restIds: agents.slice(shown.length).map(({ id }) => id) };
  });
}

async function presentFitting(ctx: PresentContext, agents: readonly StoredAgent[]): Promise<AgentInit[]> {
  const shown: AgentInit[] = [];
  let sizeBytes = 0;
  for (let from = 0; from < agents.length; from += readAtOnce) {
    for (const agent of await presentAgents(ctx, agents.slice(from, from + readAtOnce), { light: true })) {
      sizeBytes += toBinary(AgentSchema, create(AgentSchema, agent)).length;
      if (sizeBytes > mostBytes && shown.length > 0) return shown;
      shown.push(agent);
    }
  }
  return shown;
}
