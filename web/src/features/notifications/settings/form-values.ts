import type { Language } from "@sonde/proto/http/messages";
import {
  type AgentSettings,
  agentSettings,
  type MonitorSettings,
  monitorSettings,
  type NotificationSettings,
} from "@sonde/proto/http/notifications/settings";
import type { TargetType } from "@sonde/proto/http/monitors/targets";
import type { TFunction } from "i18next";
import { currentLanguage, defaultLanguage } from "../../../app/i18n.ts";
import { schemaFaults, type FormFault } from "../../../lib/form-faults.ts";
import { ownTimeZone } from "../../../lib/format.ts";
import { parseDuration, parseTypedNumber } from "../../../lib/typed.ts";

export const metrics = ["cpu", "memory", "disk"] as const;
export type AlertMetric = (typeof metrics)[number];
export const events = { monitor: ["down", "recovery", "partial"], agent: ["offline", "online"] } as const;
type EventName = (typeof events)[TargetType][number];

/** What is in the form, by the names of what is sent: texts as they were typed. */
export type SettingsValues = {
  enabled: boolean;
  channels: number[];
  events: Partial<Record<EventName, boolean>>;
  /** Of agents alone. What was typed stays while a threshold is off. */
  thresholds: Record<AlertMetric, { on: boolean; percent: string }>;
  cooldownMinutes: string;
  quietHours: { on: boolean; start: string; end: string; timeZone: string };
  language: Language;
  /** An id; empty: the built-in text. */
  templateId: string;
};

const usualPercent = "90";
const usualNight = { start: "22:00", end: "07:00" };

export function toValues(settings: NotificationSettings): SettingsValues {
  const { enabled, channels, cooldownMinutes, quietHours, language, templateId } = settings;
  const threshold = (metric: AlertMetric) => {
    const percent = ("thresholds" in settings ? settings.thresholds[metric] : null) ?? null;
    return { on: percent !== null, percent: percent === null ? usualPercent : String(percent) };
  };
  return {
    enabled,
    channels: [...channels],
    events: { ...settings.events },
    thresholds: { cpu: threshold("cpu"), memory: threshold("memory"), disk: threshold("disk") },
    cooldownMinutes: writeMinutes(cooldownMinutes),
    quietHours: quietHours ? { on: true, ...quietHours } : { on: false, ...usualNight, timeZone: ownTimeZone() },
    // Of messages that are sent already this is the truth; a user who sets them up gets their own.
    language: language ?? (channels.length > 0 ? defaultLanguage : currentLanguage()),
    templateId: templateId ? String(templateId) : "",
  };
}

/** Whole hours as hours, everything else in minutes. */
function writeMinutes(minutes: number): string {
  return minutes > 0 && minutes % 60 === 0 ? `${minutes / 60}h` : String(minutes);
}

/** The minutes that a text means; NaN for what is no duration. Nothing is no reminder. */
export const readMinutes = (text: string): number => (text.trim() === "" ? 0 : (parseDuration(text, "m") ?? NaN) / 60);

export function readInput(type: TargetType, values: SettingsValues): MonitorSettings | AgentSettings {
  const { enabled, channels, events: wanted, thresholds, cooldownMinutes, language, templateId } = values;
  const { on: isQuiet, ...quietHours } = values.quietHours;
  const shared = {
    enabled,
    channels,
    cooldownMinutes: readMinutes(cooldownMinutes),
    quietHours: isQuiet ? quietHours : null,
    language,
    templateId: templateId === "" ? null : Number(templateId),
  };
  const { down = true, recovery = true, partial = false, offline = true, online = true } = wanted;
  if (type === "monitor") return { ...shared, events: { down, recovery, partial } };
  const percent = (metric: AlertMetric) =>
    thresholds[metric].on ? (parseTypedNumber(thresholds[metric].percent) ?? NaN) : null;
  return {
    ...shared,
    events: { offline, online },
    thresholds: { cpu: percent("cpu"), memory: percent("memory"), disk: percent("disk") },
  };
}

export function checkValues(type: TargetType, values: SettingsValues, t: TFunction): FormFault[] {
  const input = readInput(type, values);
  const faults: FormFault[] = Number.isNaN(input.cooldownMinutes)
    ? [{ path: "cooldownMinutes", text: t("notificationSettings.badInterval") }]
    : [];
  const schema = type === "monitor" ? monitorSettings : agentSettings;
  return [...faults, ...schemaFaults(schema, input)].map((fault) => ({
    ...fault,
    path: pathOf(fault.path) ?? fault.path,
  }));
}

/** The form's path of an input's (dotted); null where the form has no such field. */
export function pathOf(path: string): string | null {
  const [head = "", part] = path.split(".");
  if (head === "quietHours") return part === undefined ? "quietHours.end" : path;
  if (head === "thresholds" && part !== undefined) return `thresholds.${part}.percent`;
  return ["cooldownMinutes", "channels", "language", "templateId"].includes(head) ? head : null;
}
