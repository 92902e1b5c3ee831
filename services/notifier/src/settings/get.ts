import { orUnavailable } from "@sonde/kit/postgres/database";
import type { AgentSettings, MonitorSettings, NotificationSettings } from "@sonde/proto/http/notifications/settings";
import { findNextReminder } from "../alerts/reminders.ts";
import type { Context } from "../context.ts";
import { defaultSettings, readSetting } from "./setting.ts";
import { allSettings } from "./store.ts";

/** All settings, the two for all targets always among them, the overrides by target, and the next reminder. */
export async function getSettings({ db, log }: Pick<Context, "db" | "log">) {
  const [rows, nextReminder] = await orUnavailable(() => Promise.all([allSettings(db), findNextReminder(db)]));
  const stored = rows.map(({ scope, targetId: id, value }) => ({
    scope,
    id,
    value: shown(readSetting(scope, value, log)),
  }));
  const byId = <Value>(wanted: "monitor" | "agent") =>
    Object.fromEntries(stored.flatMap(({ scope, id, value }) => (scope === wanted ? [[id, value as Value]] : [])));
  const global = <Value>(wanted: "global-monitor" | "global-agent") =>
    (stored.find(({ scope }) => scope === wanted)?.value ?? shown(defaultSettings(wanted))) as Value;
  return {
    globalMonitor: global<MonitorSettings>("global-monitor"),
    globalAgent: global<AgentSettings>("global-agent"),
    monitors: byId<MonitorSettings>("monitor"),
    agents: byId<AgentSettings>("agent"),
    ...(nextReminder === undefined ? {} : { nextReminder }),
  };
}

/** Settings in the form of answers: cleared ones are left out. */
export const shown = <Settings extends NotificationSettings>(settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([, field]) => field !== null)) as Settings;
