import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { agentsContract } from "@sonde/proto/rpc/agents";
import { getAgent, listAgents, listAgentTags, removeAgent, summarize, updateAgent } from "./agents/agents.ts";
import type { Context } from "./context.ts";
import { createToken, listTokens, revokeToken, revokeTokensOf } from "./tokens/tokens.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof agentsContract> {
  const idempotent = createIdempotency(ctx);
  return {
    listAgents: (request) => listAgents(ctx, request),
    listAgentTags: () => listAgentTags(ctx),
    getAgent: (request) => getAgent(ctx, request),
    updateAgent: (request) => updateAgent(ctx, request),
    deleteAgent: (request) => removeAgent(ctx, request),
    createToken: (request, call) => idempotent(call, (db) => createToken({ ...ctx, db }, request, call.actor)),
    listTokens: () => listTokens(ctx),
    revokeToken: (request) => revokeToken(ctx, request),
    revokeTokensOf: (request) => revokeTokensOf(ctx, request),
    agentsSummary: (query) => summarize(ctx, query),
  };
}
