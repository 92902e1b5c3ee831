import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { instant, rowId, rowIds, success } from "../envelope.ts";
import { targetShape } from "../monitors/targets.ts";
import { tags } from "../tags.ts";

export const settingScopes = ["global-monitor", "global-agent", "monitor", "agent"] as const;
export type SettingScope = (typeof settingScopes)[number];

export const notificationLanguages = ["zh-CN", "en-US"] as const;

export const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "Enter a time such as 22:30");
export const timeZone = z.string().min(1).max(64).refine(isTimeZone, "Unknown time zone");

/** Returns true for names in the IANA time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +08:00 have no daylight saving rules.
    if (!/^[A-Za-z]/.test(name)) return false;
    new Intl.DateTimeFormat("en", { timeZone: name }).format(0);
    return true;
  } catch {
    return false;
  }
}

/** Hours without alerts; past midnight if the end is earlier than the start. */
export const quietHours = z
  .strictObject({ start: timeOfDay, end: timeOfDay, timeZone })
  .refine(({ start, end }) => start !== end, {
    message: "Quiet hours cannot start and end at the same time",
    path: ["end"],
  });
export type QuietHours = z.infer<typeof quietHours>;

const shared = {
  enabled: z.boolean().default(true),
  channels: rowIds(50).meta({ description: "Ids of the channels to notify." }).default([]),
  cooldownMinutes: z
    .int()
    .min(0)
    .max(10_080)
    .meta({ description: "Minutes between reminders of an open incident; 0 disables reminders." })
    .default(30),
  quietHours: quietHours
    .nullable()
    .meta({
      description:
        "Alerts are deferred during these hours and sent at their end if the incident is still open. An end earlier than the start is on the next day.",
    })
    .optional(),
  language: z
    .enum(notificationLanguages)
    .nullable()
    .meta({ description: "Language of the messages; zh-CN if absent." })
    .optional(),
  templateId: rowId
    .nullable()
    .meta({ description: "Template that replaces the built-in texts for alerts of its kind." })
    .optional(),
  policyId: rowId.nullable().meta({ description: "Escalation policy that starts when an incident opens." }).optional(),
};

const percent = z
  .number()
  .min(1)
  .max(100)
  .nullable()
  .meta({ description: "Percent; null disables the alert." })
  .default(90);
const event = z.boolean().default(true);

/** Settings for all monitors, or an override for one. */
export const monitorSettings = z.strictObject({
  ...shared,
  events: z
    .strictObject({
      down: event,
      recovery: event,
      partial: z.boolean().default(false).meta({ description: "Down from some locations and up from others." }),
      slow: z.boolean().default(false).meta({ description: "Up, but slower than the limit of the monitor." }),
      external: event.meta({ description: "Alerts that inbound monitors receive from other systems." }),
      slo: event.meta({ description: "Service levels that spend their error budget too fast." }),
    })
    .prefault({}),
});
/** Settings for agents. Thresholds in percent; `null` for off. */
export const agentSettings = z.strictObject({
  ...shared,
  events: z.strictObject({ offline: event, online: event }).prefault({}),
  thresholds: z.strictObject({ cpu: percent, memory: percent, disk: percent }).prefault({}),
});

export const settingsRule = z.strictObject({
  tags: tags.min(1),
  channels: rowIds(50).min(1),
  policyId: rowId.optional().meta({ description: "Escalation policy instead of the settings' one." }),
});
export const maxRules = 20;
const rules = z.array(settingsRule).max(maxRules).optional().meta({
  description:
    "Channels by tag, in order. A target that has any tag of a rule notifies the channels of the first such rule instead of `channels`.",
});
/** Settings for all monitors or all agents. Only these have rules. */
export const globalMonitorSettings = monitorSettings.extend({ rules });
export const globalAgentSettings = agentSettings.extend({ rules });
export type MonitorSettings = z.infer<typeof globalMonitorSettings>;
export type AgentSettings = z.infer<typeof globalAgentSettings>;
export type NotificationSettings = MonitorSettings | AgentSettings;

/** The settings in responses, without optional fields. */
export const shownMonitorSettings = z.object(monitorSettings.shape);
export const shownAgentSettings = z.object(agentSettings.shape);
export const shownGlobalMonitorSettings = z.object(globalMonitorSettings.shape);
export const shownGlobalAgentSettings = z.object(globalAgentSettings.shape);

export const monitorSettingsAnswer = success({ settings: shownMonitorSettings });
export const agentSettingsAnswer = success({ settings: shownAgentSettings });
export const globalMonitorSettingsAnswer = success({ settings: shownGlobalMonitorSettings });
export const globalAgentSettingsAnswer = success({ settings: shownGlobalAgentSettings });
export const notificationSettingsAnswer = success({
  globalMonitor: shownGlobalMonitorSettings,
  globalAgent: shownGlobalAgentSettings,
  /** Overrides by target id. */
  monitors: z.record(z.string(), shownMonitorSettings),
  agents: z.record(z.string(), shownAgentSettings),
  managed: z
    .object({
      globalMonitor: managedBy.optional(),
      globalAgent: managedBy.optional(),
      monitors: z.record(z.string(), managedBy),
    })
    .optional()
    .meta({ description: "Sources that manage fields of these settings." }),
  nextReminder: z
    .object({ incidentId: z.string(), target: targetShape, at: instant })
    .meta({ description: "The next reminder that is due for an open incident." })
    .optional(),
});
