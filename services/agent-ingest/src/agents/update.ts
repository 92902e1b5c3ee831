import { readDependsOn } from "@sonde/kit/incidents/targets";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { z } from "zod";
import type { updateAgentInput } from "@sonde/proto/http/agents/agents";
import type { KnownAgent } from "@sonde/proto/rpc/agents";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { publishChange } from "./change.ts";
import { presentAgent } from "./present.ts";
import { lockAgent, updateAgent as writeAgent } from "./store.ts";

export type AgentEdit = z.infer<typeof updateAgentInput> & { id: number };

/**
 * Changes an agent's name, or what it depends on; what is absent stays.
 * @throws AppError not_found; invalid where it would depend on itself
 */
export async function updateAgent(ctx: Context, { id, name, dependsOn: given }: AgentEdit): Promise<KnownAgent> {
  const dependsOn = given && readDependsOn(given, { type: "agent", id });
  const nowMs = ctx.clock.now();
  return orUnavailable(async () => {
    const agent = await ctx.db.transaction(async (trx) => {
      const before = await lockAgent(trx, id);
      const isRenamed = name !== undefined && name !== before.name;
      const isAttachedAnew = dependsOn !== undefined && !isDeepStrictEqual(dependsOn, before.dependsOn);
      if (!isRenamed && !isAttachedAnew) return before;
      const after = await writeAgent(trx, id, { name, dependsOn }, nowMs);
      await publishChange(trx, after, isRenamed ? "renamed" : "updated", before.status, nowMs);
      return after;
    });
    ctx.committed(id);
    return presentAgent(ctx, agent);
  });
}
