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
import { defaultLanguage } from "../../../app/i18n.ts";
import { parseDuration, readNumber } from "../../../lib/typed.ts";
import { faultsIn, type FormFault } from "../../../lib/form-faults.ts";

export const metrics = ["cpu", "memory", "disk"] as const;
export type AlertMetric = (typeof metrics)[number];
export const events = { monitor: ["down", "recovery"], agent: ["offline", "online"] } as const;
type EventName = (typeof events)[TargetType][number];

/** What stands in the form: texts as they were typed. */
export type SettingsValues = {
  enabled: boolean;
  channels: number[];
  events: Partial<Record<EventName, boolean>>;
  /** Of agents alone. What was typed stays while a threshold is off. */
  thresholds: Record<AlertMetric, { on: boolean; percent: string }>;
  cooldown: string;
  quiet: { on: boolean; start: string; end: string; timeZone: string };
  language: Language;
  /** An id; empty: the built-in text. */
  templateId: string;
};

const usualPercent = "90";
const usualNight = { start: "22:00", end: "07:00" };

/** The zone that the browser is in. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Settings as the form shows them. */
export function toValues(settings: NotificationSettings): SettingsValues {
  const { enabled, channels, cooldownMinutes, quietHours, language, templateId } = settings;
  const percents = "thresholds" in settings ? settings.thresholds : undefined;
  const threshold = (metric: AlertMetric) => {
    const percent = percents?.[metric] ?? null;
    return { on: percent !== null, percent: percent === null ? usualPercent : String(percent) };
  };
  return {
    enabled,
    channels: [...channels],
    events: { ...settings.events },
    thresholds: { cpu: threshold("cpu"), memory: threshold("memory"), disk: threshold("disk") },
    cooldown: writeMinutes(cooldownMinutes),
    quiet: quietHours ? { on: true, ...quietHours } : { on: false, ...usualNight, timeZone: ownTimeZone() },
    language: language ?? defaultLanguage,
    templateId: templateId ? String(templateId) : "",
  };
}

/** Whole hours as hours, everything else in minutes. */
function writeMinutes(minutes: number): string {
  return minutes > 0 && minutes % 60 === 0 ? `${minutes / 60}h` : String(minutes);
}

/** The minutes that a text stands for; NaN for what is no duration. Nothing is no reminder. */
export const readMinutes = (text: string): number => (text.trim() === "" ? 0 : (parseDuration(text, "m") ?? NaN) / 60);

/** What the form sends. */
export function readInput(type: TargetType, values: SettingsValues): MonitorSettings | AgentSettings {
  const { enabled, channels, quiet, language, templateId, thresholds } = values;
  const percent = (metric: AlertMetric) =>
    thresholds[metric].on ? (readNumber(thresholds[metric].percent) ?? NaN) : null;
  const shared = {
    enabled,
    channels,
    cooldownMinutes: readMinutes(values.cooldown),
    quietHours: quiet.on ? { start: quiet.start, end: quiet.end, timeZone: quiet.timeZone } : null,
    language,
    templateId: templateId === "" ? null : Number(templateId),
  };
  const isOn = (event: EventName) => values.events[event] ?? true;
  if (type === "monitor") return { ...shared, events: { down: isOn("down"), recovery: isOn("recovery") } };
  return {
    ...shared,
    events: { offline: isOn("offline"), online: isOn("online") },
    thresholds: { cpu: percent("cpu"), memory: percent("memory"), disk: percent("disk") },
  };
}

/** Everything that is wrong with what stands in the form, by the form's own paths. */
export function checkValues(type: TargetType, values: SettingsValues, t: TFunction): FormFault[] {
  const input = readInput(type, values);
  const faults: FormFault[] = [];
  if (Number.isNaN(input.cooldownMinutes))
    faults.push({ path: "cooldown", text: t("notificationSettings.badInterval") });
  const schema = type === "monitor" ? monitorSettings : agentSettings;
  return [...faults, ...faultsIn(schema, input)].map((fault) => ({ ...fault, path: pathOf(fault.path) ?? fault.path }));
}

/** The form's path of an input's (dotted); null where the form has no such field. */
export function pathOf(path: string): string | null {
  const [head = "", part] = path.split(".");
  if (head === "cooldownMinutes") return "cooldown";
  if (head === "quietHours") return part === undefined ? "quiet.end" : `quiet.${part}`;
  if (head === "thresholds" && part !== undefined) return `thresholds.${part}.percent`;
  if (head === "cooldown" || head === "channels" || head === "language" || head === "templateId") return head;
  return null;
}
