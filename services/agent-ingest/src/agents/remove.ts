import { orUnavailable } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { closeIncidents } from "../incidents/store.ts";
import { revokeKeys } from "../keys/store.ts";
import { sayChange, sayKeys, sayQuietEnd } from "./change.ts";
import { buryAgent, lockAgent } from "./store.ts";

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
      const buried = await buryAgent(trx, id, nowMs);
      await sayQuietEnd(trx, await closeIncidents(trx, before, null, "deleted", nowMs), nowMs);
      await sayChange(trx, buried, "deleted", before.status, nowMs);
      await sayKeys(trx, hashes);
      return hashes;
    }),
  );
  ctx.keys.revoke(revoked);
  await ctx.published(id);
}
