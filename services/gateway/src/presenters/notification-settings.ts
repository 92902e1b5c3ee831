import type { NextReminder, Setting, Settings } from "@sonde/proto/gen/notifications/v1/notifications";
import {
  agentSettings,
  type AgentSettings,
  monitorSettings,
  type MonitorSettings,
  type SettingScope,
} from "@sonde/proto/http/notification-settings";
import type { z } from "zod";
import { instantOf } from "./instant.ts";
import { present } from "./present.ts";
import { readTargetType } from "./unions.ts";

/** Settings as the bus has them: JSON, read through their schema, so that what is absent has its default. */
export const presentMonitorSettings = (value: string): MonitorSettings => read(monitorSettings, value);
export const presentAgentSettings = (value: string): AgentSettings => read(agentSettings, value);

/** What was cleared is left out. */
function read<Value extends object>(schema: z.ZodType<Value>, value: string): Value {
  const settings = schema.parse(JSON.parse(value));
  return Object.fromEntries(Object.entries(settings).filter(([, field]) => field !== null)) as Value;
}

/** All settings: the global ones with their defaults, and the overrides by their targets' ids. */
export function presentSettings({ settings, nextReminder }: Settings) {
  const of = (scope: SettingScope) => settings.filter((setting) => setting.scope === scope);
  const byId = <Value>(scope: SettingScope, shown: (value: string) => Value): Record<string, Value> =>
    Object.fromEntries(of(scope).map(({ targetId, value }: Setting) => [String(targetId), shown(value)]));
  return {
    globalMonitor: presentMonitorSettings(of("global-monitor")[0]?.value ?? "{}"),
    globalAgent: presentAgentSettings(of("global-agent")[0]?.value ?? "{}"),
    monitors: byId("monitor", presentMonitorSettings),
    agents: byId("agent", presentAgentSettings),
    nextReminder: nextReminder && presentReminder(nextReminder),
  };
}

function presentReminder({ incidentId, target, targetName, atMs }: NextReminder) {
  const { type, id } = present(target);
  return { incidentId, target: { type: readTargetType(type), id, name: targetName }, at: instantOf(atMs) };
}
