import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import type { SettingScope } from "@sonde/proto/http/notifications/settings";
import { deciding } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import { enqueueThresholds } from "./projection.ts";
import { replan } from "./replan.ts";
import { burySetting, type SettingRow } from "./store.ts";

type Deps = Pick<Context, "db" | "clock" | "log" | "committed">;

/** Removes one setting; that for all targets is its defaults again. Harmless if there is none. */
export async function removeSetting(deps: Deps, setting: { scope: SettingScope; targetId: number }): Promise<void> {
  await orUnavailable(() => remove(deps, [setting]));
}

/** Removes the overrides of deleted targets. */
export async function removeOverrides(deps: Deps, targets: readonly TargetRef[]): Promise<void> {
  await remove(
    deps,
    targets.map(({ type, id }) => ({ scope: type, targetId: id })),
  );
}

async function remove(
  { db, clock, log, committed }: Deps,
  settings: readonly { scope: SettingScope; targetId: number }[],
): Promise<void> {
  await deciding(db, async (trx) => {
    for (const { scope, targetId } of settings) {
      if (!(await burySetting(trx, scope, targetId, clock.now()))) continue;
      await enqueueThresholds(trx, scope, [targetId]);
      await replan(trx, log, scope, targetId, clock.now());
    }
  });
  committed();
}

const keptMs = 24 * 3_600_000;

/** Deletes tombstones of overrides after a day, when all consumers have seen them. */
export async function purgeSettings(db: Database, nowMs: number): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx<SettingRow>("settings")
      .where("deleted_at_ms", "<", nowMs - keptMs)
      .delete()
      .returning<Pick<SettingRow, "scope" | "targetId">[]>(["scope", "target_id"]);
    // Without a row the relay takes the key out of the bucket.
    for (const { scope, targetId: id } of gone) await enqueueThresholds(trx, scope, [id]);
  });
}
