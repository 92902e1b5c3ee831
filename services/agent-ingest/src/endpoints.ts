import type { Handlers } from "@sonde/kit/rpc";
import type { AgentsService } from "@sonde/proto/gen/agents/v1/agents";
import { getAgent } from "./agents/get.ts";
import { listAgents } from "./agents/list.ts";
import { removeAgent } from "./agents/remove.ts";
import { renameAgent } from "./agents/rename.ts";
import { summarize } from "./agents/summary.ts";
import type { Context } from "./context.ts";
import { listEvents } from "./incidents/list-events.ts";
import { listIncidents } from "./incidents/list.ts";
import { createToken } from "./tokens/create.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof AgentsService> {
  return {
    listAgents: (request) => listAgents(ctx, request),
    getAgent: (request) => getAgent(ctx, request),
    renameAgent: (request) => renameAgent(ctx, request),
    deleteAgent: async (request) => {
      await removeAgent(ctx, request);
      return {};
    },
    createToken: (request) => createToken(ctx, request),
    agentsSummary: () => summarize(ctx),
    listAgentIncidents: (request) => listIncidents(ctx, request),
    listAgentEvents: (request) => listEvents(ctx, request),
  };
}
