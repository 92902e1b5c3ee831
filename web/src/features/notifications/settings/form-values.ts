import type { Language } from "@sonde/proto/http/messages";
import {
  type AgentSettings,
  globalAgentSettings,
  globalMonitorSettings,
  type MonitorSettings,
  type NotificationSettings,
} from "@sonde/proto/http/notifications/settings";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { TFunction } from "i18next";
import { currentLanguage, defaultLanguage } from "../../../app/i18n.ts";
import { schemaErrors, type FormError } from "../../../lib/form-errors.ts";
import { ownTimeZone } from "../../../lib/format.ts";
import { currentZoneName } from "../../../lib/zone-time.ts";
import { parseDuration, parseTypedNumber, readTags } from "../../../lib/typed.ts";

export const metrics = ["cpu", "memory", "disk"] as const;
export type AlertMetric = (typeof metrics)[number];
export const events = {
  monitor: ["down", "recovery", "partial", "slow", "external", "slo"],
  agent: ["offline", "online"],
} as const;
type EventName = (typeof events)[TargetType][number];

/** Form values, named like the request's fields. Texts are as typed. */
export type SettingsValues = {
  enabled: boolean;
  channels: number[];
  /** Only for the global settings. Tags are separated by commas. */
  rules: { tags: string; channels: number[]; policyId: string }[];
  events: Partial<Record<EventName, boolean>>;
  /** Only for agents. Keeps the typed value while a threshold is off. */
  thresholds: Record<AlertMetric, { on: boolean; percent: string }>;
  cooldownMinutes: string;
  quietHours: { on: boolean; start: string; end: string; timeZone: string };
  language: Language;
  /** An id. Empty for the built-in text. */
  templateId: string;
  /** An id. Empty for none. */
  policyId: string;
};

const usualPercent = "90";
const usualNight = { start: "22:00", end: "07:00" };

export function toValues(settings: NotificationSettings): SettingsValues {
  const { enabled, channels, rules = [], cooldownMinutes, quietHours, language, templateId, policyId } = settings;
  const threshold = (metric: AlertMetric) => {
    const percent = ("thresholds" in settings ? settings.thresholds[metric] : null) ?? null;
    return { on: percent !== null, percent: percent === null ? usualPercent : String(percent) };
  };
  return {
    enabled,
    channels: [...channels],
    rules: rules.map((rule) => ({
      tags: rule.tags.join(", "),
      channels: [...rule.channels],
      policyId: String(rule.policyId ?? ""),
    })),
    events: { ...settings.events },
    thresholds: { cpu: threshold("cpu"), memory: threshold("memory"), disk: threshold("disk") },
    cooldownMinutes: writeMinutes(cooldownMinutes),
    quietHours: quietHours
      ? { on: true, ...quietHours }
      : { on: false, ...usualNight, timeZone: currentZoneName(ownTimeZone()) },
    // Existing channels already use the default language. Otherwise propose the user's language.
    language: language ?? (channels.length > 0 ? defaultLanguage : currentLanguage()),
    templateId: templateId ? String(templateId) : "",
    policyId: policyId ? String(policyId) : "",
  };
}

function writeMinutes(minutes: number): string {
  return minutes > 0 && minutes % 60 === 0 ? `${minutes / 60}h` : String(minutes);
}

/** Returns minutes, or NaN for an invalid duration. 0 disables reminders. */
export const readMinutes = (text: string): number => (text.trim() === "" ? 0 : (parseDuration(text, "m") ?? NaN) / 60);

const readRule = ({ tags, channels, policyId }: SettingsValues["rules"][number]) => ({
  tags: readTags(tags),
  channels,
  ...(policyId !== "" && { policyId: Number(policyId) }),
});

export function readInput(
  type: TargetType,
  values: SettingsValues,
  isGlobal: boolean,
): MonitorSettings | AgentSettings {
  const {
    enabled,
    channels,
    rules,
    events: wanted,
    thresholds,
    cooldownMinutes,
    language,
    templateId,
    policyId,
  } = values;
  const { on: isQuiet, ...quietHours } = values.quietHours;
  const shared = {
    enabled,
    channels,
    ...(isGlobal && rules.length > 0 && { rules: rules.map(readRule) }),
    cooldownMinutes: readMinutes(cooldownMinutes),
    quietHours: isQuiet ? quietHours : null,
    language,
    templateId: templateId === "" ? null : Number(templateId),
    policyId: policyId === "" ? null : Number(policyId),
  };
  const {
    down = true,
    recovery = true,
    partial = false,
    slow = false,
    external = true,
    slo = true,
    offline = true,
    online = true,
  } = wanted;
  if (type === "monitor") return { ...shared, events: { down, recovery, partial, slow, external, slo } };
  const percent = (metric: AlertMetric) =>
    thresholds[metric].on ? (parseTypedNumber(thresholds[metric].percent) ?? NaN) : null;
  return {
    ...shared,
    events: { offline, online },
    thresholds: { cpu: percent("cpu"), memory: percent("memory"), disk: percent("disk") },
  };
}

export function checkValues(type: TargetType, values: SettingsValues, isGlobal: boolean, t: TFunction): FormError[] {
  const input = readInput(type, values, isGlobal);
  const errors: FormError[] = Number.isNaN(input.cooldownMinutes)
    ? [{ path: "cooldownMinutes", text: t("notificationSettings.badInterval") }]
    : [];
  const schema = type === "monitor" ? globalMonitorSettings : globalAgentSettings;
  return [...errors, ...schemaErrors(schema, input)].map((error) => ({
    ...error,
    path: pathOf(error.path) ?? error.path,
  }));
}

/** Maps a dotted path of the input to the form's path, or `null` if there is no such field. */
export function pathOf(path: string): string | null {
  const [head = "", part, field] = path.split(".");
  if (head === "quietHours") return part === undefined ? "quietHours.end" : path;
  if (head === "thresholds" && part !== undefined) return `thresholds.${part}.percent`;
  if (head === "rules" && field !== undefined) return `rules.${part}.${field}`;
  return ["cooldownMinutes", "channels", "language", "templateId", "policyId"].includes(head) ? head : null;
}
