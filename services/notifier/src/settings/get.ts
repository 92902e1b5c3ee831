import type { MessageInitShape } from "@bufbuild/protobuf";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { SettingSchema, SettingsSchema } from "@sonde/proto/gen/notifications/v1/notifications";
import type { NotificationSettings, SettingScope } from "@sonde/proto/http/notification-settings";
import { findNextReminder } from "../alerts/next-reminder.ts";
import type { Context } from "../context.ts";
import { defaultSettings, readSetting } from "./setting.ts";
import { allSettings } from "./store.ts";

/** All settings, the two for all targets always among them, and the next reminder. */
export async function getSettings({
  db,
  log,
}: Pick<Context, "db" | "log">): Promise<MessageInitShape<typeof SettingsSchema>> {
  const [rows, nextReminder] = await orUnavailable(() => Promise.all([allSettings(db), findNextReminder(db)]));
  const stored = rows.map(({ scope, target_id: targetId, value }) =>
    presentSetting(scope, targetId, readSetting(scope, value, log)),
  );
  const missing = (["global-monitor", "global-agent"] as const)
    .filter((scope) => !rows.some((row) => row.scope === scope))
    .map((scope) => presentSetting(scope, 0, defaultSettings(scope)));
  return { settings: [...missing, ...stored], nextReminder };
}

export const presentSetting = (
  scope: SettingScope,
  targetId: number,
  value: NotificationSettings,
): MessageInitShape<typeof SettingSchema> => ({ scope, targetId, value: JSON.stringify(value) });
