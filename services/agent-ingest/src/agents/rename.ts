import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { publishChange } from "./change.ts";
import { type AgentInit, presentAgent } from "./present.ts";
import { lockAgent, updateAgent } from "./store.ts";

/** Gives an agent another name. @throws AppError not_found */
export async function renameAgent(ctx: Context, { id, name }: { id: number; name: string }): Promise<AgentInit> {
  const nowMs = ctx.clock.now();
  return orUnavailable(async () => {
    const agent = await ctx.db.transaction(async (trx) => {
      const before = await lockAgent(trx, id);
      if (before.name === name) return before;
      const after = await updateAgent(trx, id, { name }, nowMs);
      await publishChange(trx, after, "renamed", before.status, nowMs);
      return after;
    });
    ctx.committed(id);
    return presentAgent(ctx.db, agent);
  });
}
