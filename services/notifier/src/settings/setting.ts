import { oneOf } from "@sonde/kit/one-of";
import type { Log } from "@sonde/kit/service/log";
import {
  agentSettings,
  monitorSettings,
  type NotificationSettings,
  type SettingScope,
  settingScopes,
} from "@sonde/proto/http/notifications/settings";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import { z } from "zod";

export const readScope = oneOf(settingScopes, "scope of settings");

/** Where the settings for all targets of a type are. */
export const globalScopeOf = (type: TargetType): SettingScope => `global-${type}`;

/** The type of target that a scope is about. */
export const targetTypeOf = (scope: SettingScope): TargetType =>
  scope === "global-agent" || scope === "agent" ? "agent" : "monitor";

/** Whether it applies to all targets of its type. */
export const isGlobal = (scope: SettingScope): boolean => scope === "global-monitor" || scope === "global-agent";

/** The schema of a scope's settings. */
export const schemaOf = (scope: SettingScope) => (targetTypeOf(scope) === "agent" ? agentSettings : monitorSettings);

// What a later version stored beside is overlooked.
const stored = { monitor: z.object(monitorSettings.shape), agent: z.object(agentSettings.shape) };

export const defaultSettings = (scope: SettingScope): NotificationSettings => schemaOf(scope).parse({});

/** Stored settings, with the defaults of fields that they do not have yet; what cannot be read counts as none. */
export function readSetting(scope: SettingScope, value: unknown, log: Pick<Log, "error">): NotificationSettings {
  const { data, error } = stored[targetTypeOf(scope)].safeParse(value);
  if (data !== undefined) return data;
  log.error({ err: error, scope }, "stored notification settings cannot be read; the defaults hold");
  return defaultSettings(scope);
}
