import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { NotificationSettings, QuietHours } from "@sonde/proto/http/notifications/settings";

/** The effective settings of a target, for decisions. */
export type AlertPolicy = {
  isEnabled: boolean;
  /** Ascending. */
  channelIds: readonly number[];
  /** Whether recipients want alerts of faults, or of recoveries. */
  tells(kind: IncidentKind, isOver: boolean): boolean;
  /** Between reminders; 0: none. */
  cooldownMs: number;
  quietHours: QuietHours | null;
  language: "zh-CN" | "en-US";
  templateId: number | null;
};

export function policyOf(settings: NotificationSettings): AlertPolicy {
  const { enabled, channels, events, cooldownMinutes, quietHours, language, templateId } = settings;
  const [wrong, over] = "down" in events ? [events.down, events.recovery] : [events.offline, events.online];
  return {
    isEnabled: enabled,
    channelIds: [...channels].sort((one, other) => one - other),
    // Thresholds are switched off by having none.
    tells: (kind, isOver) => kind === "threshold" || (isOver ? over : wrong),
    cooldownMs: cooldownMinutes * 60_000,
    quietHours: quietHours ?? null,
    language: language ?? "zh-CN",
    templateId: templateId ?? null,
  };
}

/** How long after a telling the next reminder is due; null if there is none. */
export function reminderAfterMs({ isEnabled, cooldownMs, tells }: AlertPolicy, kind: IncidentKind): number | null {
  return isEnabled && cooldownMs > 0 && tells(kind, false) ? cooldownMs : null;
}
