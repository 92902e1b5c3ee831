import { AppError, type FieldFault } from "@sonde/kit/errors";
import { type Database, orUnavailable } from "@sonde/kit/postgres/database";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notifications/settings";
import { deciding } from "../alerts/deciding.ts";
import type { Context } from "../context.ts";
import { shown } from "./get.ts";
import { enqueueThresholds } from "./projection.ts";
import { replan } from "./replan.ts";
import { isGlobal } from "./setting.ts";
import { saveSetting } from "./store.ts";

type Deps = Pick<Context, "db" | "clock" | "log" | "committed">;

/** All of them travel in one message of the bus. */
export const mostOverrides = 1_000;

/**
 * Stores the settings for all monitors, all agents or one target. Reminders and deferrals by quiet hours follow at
 * once; thresholds are published to agent-ingest.
 * @throws AppError impossible if a channel or the template does not exist, or there are too many overrides
 */
export async function putSetting<Settings extends NotificationSettings>(
  { db, clock, log, committed }: Deps,
  scope: SettingScope,
  targetId: number,
  value: Settings,
): Promise<Settings> {
  await orUnavailable(() =>
    deciding(db, async (trx) => {
      await requireExisting(trx, value);
      if (!isGlobal(scope)) await requireRoom(trx, scope, targetId);
      await saveSetting(trx, scope, targetId, value);
      await enqueueThresholds(trx, scope, [targetId]);
      await replan(trx, log, scope, targetId, clock.now());
    }),
  );
  committed();
  return shown(value);
}

async function requireExisting(trx: Database, { channels, templateId }: NotificationSettings): Promise<void> {
  // Locked, so that none is deleted between this look and the commit.
  const known = new Set(
    await trx("channels").whereRaw("id = any(?)", [channels]).orderBy("id").forShare().pluck<number[]>("id"),
  );
  const details: FieldFault[] = channels.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `channels.${index}`, message: "Notification channel does not exist" }],
  );
  if (typeof templateId === "number") {
    const template = await trx("templates").where({ id: templateId }).forShare().first("id");
    if (template === undefined) {
      details.push({ path: "templateId", message: "Notification template does not exist" });
    }
  }
  if (details.length > 0) throw new AppError("impossible", "The request is not valid", { details });
}

async function requireRoom(trx: Database, scope: SettingScope, targetId: number): Promise<void> {
  const others = await trx("settings")
    .whereIn("scope", ["monitor", "agent"])
    .whereNull("deleted_at_ms")
    .whereRaw("(scope, target_id) <> (?, ?)", [scope, targetId])
    .count<{ count: number }[]>("* as count")
    .first();
  if ((others?.count ?? 0) < mostOverrides) return;
  const params = { max: mostOverrides };
  throw new AppError("impossible", "There are {max} settings of single targets already, delete one first", { params });
}
