import { publishIncident } from "@sonde/kit/incidents/store";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { factsOf } from "../incidents/facts.ts";
import { incidents } from "../incidents/store.ts";
import { revokeKeys } from "../keys/store.ts";
import { publishChange, publishKeys } from "./change.ts";
import { markAgentDeleted, lockAgent } from "./store.ts";

/**
 * Deletes an agent: its keys are refused from now on, its open incidents end as deleted, and its samples are no
 * longer wanted. A tombstone stays a day. @throws AppError not_found
 */
export async function removeAgent(ctx: Context, { id }: { id: number }): Promise<void> {
  const nowMs = ctx.clock.now();
  const revoked = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const before = await lockAgent(trx, id);
      const hashes = await revokeKeys(trx, id, nowMs);
      const deleted = await markAgentDeleted(trx, id, nowMs);
      for (const incident of await incidents.close(trx, before, "all", "deleted", nowMs)) {
        await publishIncident(trx, { atMs: nowMs, change: "closed", incident, quiet: true, facts: factsOf(before) });
      }
      await publishChange(trx, deleted, "deleted", before.status, nowMs);
      await publishKeys(trx, hashes);
      return hashes;
    }),
  );
  ctx.keys.revoke(revoked);
  await ctx.published(id);
}
