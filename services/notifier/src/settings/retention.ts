import type { Database } from "@sonde/kit/postgres/database";
import { enqueueThresholds } from "./projection.ts";
import type { SettingRow } from "./store.ts";

const keptMs = 24 * 3_600_000;

/** Deletes tombstones of overrides after a day, when all consumers have seen them. */
export async function purgeSettings(db: Database, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx<SettingRow>("settings")
      .where("deleted_at_ms", "<", nowMs - keptMs)
      .delete()
      .returning<Pick<SettingRow, "scope" | "target_id">[]>(["scope", "target_id"]);
    // Without a row the relay takes the key out of the bucket.
    for (const { scope, target_id: id } of gone) await enqueueThresholds(trx, scope, [id]);
  });
}
