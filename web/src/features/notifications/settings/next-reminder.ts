import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { AllSettings } from "../../../app/notifications/api.ts";
import type { NextReminder } from "../api.ts";

/** The next reminder, where the settings of one target (or, without `id`, those for all) are what it is sent by. */
export function nextReminderOf(all: AllSettings, type: TargetType, id?: number): NextReminder | undefined {
  const { nextReminder } = all;
  if (nextReminder === undefined || nextReminder.target.type !== type) return undefined;
  const hasOwn = String(nextReminder.target.id) in (type === "monitor" ? all.monitors : all.agents);
  if (id === undefined) return hasOwn ? undefined : nextReminder;
  return nextReminder.target.id === id ? nextReminder : undefined;
}
