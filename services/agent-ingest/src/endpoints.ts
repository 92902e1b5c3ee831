import { bindVerbs, type Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import { agentsContract } from "@sonde/proto/rpc/agents";
import * as agents from "./agents/agents.ts";
import type { Context } from "./context.ts";
import * as tokens from "./tokens/tokens.ts";

export function endpoints(ctx: Context): Handlers<typeof agentsContract> {
  const idempotent = createIdempotency(ctx);
  return bindVerbs(agentsContract, ctx, {
    ...agents,
    ...tokens,
    createToken: (_ctx, input, call) => idempotent(call, (db) => tokens.createToken({ ...ctx, db }, input, call)),
  });
}
