import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { agentsContract } from "@sonde/proto/rpc/agents";
import { getAgent } from "./agents/get.ts";
import { listAgents } from "./agents/list.ts";
import { removeAgent } from "./agents/remove.ts";
import { summarize } from "./agents/summary.ts";
import { updateAgent } from "./agents/update.ts";
import type { Context } from "./context.ts";
import { createToken } from "./tokens/create.ts";
import { listTokens } from "./tokens/list.ts";
import { revokeToken, revokeTokensOf } from "./tokens/revoke.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof agentsContract> {
  const idempotent = createIdempotency(ctx);
  return {
    listAgents: (request) => listAgents(ctx, request),
    getAgent: (request) => getAgent(ctx, request),
    updateAgent: (request) => updateAgent(ctx, request),
    deleteAgent: async (request) => {
      await removeAgent(ctx, request);
      return {};
    },
    createToken: (request, call) => idempotent(call, (db) => createToken({ ...ctx, db }, request, call.actor)),
    listTokens: () => listTokens(ctx),
    revokeToken: async (request) => {
      await revokeToken(ctx, request);
      return {};
    },
    revokeTokensOf: async (request) => {
      await revokeTokensOf(ctx, request);
      return {};
    },
    agentsSummary: (query) => summarize(ctx, query),
  };
}
