/** The kinds of an alert. `test` is about no incident: a user tests a channel. */
export const alertKinds = [
  "down",
  "recovery",
  "offline",
  "online",
  "threshold",
  "cleared",
  "stale",
  "fresh",
  "partial",
  "whole",
  "flapping",
  "steady",
  "test",
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** What a template may be for. */
export const templateKinds = alertKinds.filter((kind) => kind !== "test") as readonly Exclude<AlertKind, "test">[];
export type TemplateKind = (typeof templateKinds)[number];

/**
 * Why a channel was notified, is deferred, or was skipped. sent: `sent`. deferred: `maintenance`, `silenced`,
 * `snoozed`, `quiet_hours`, `dependency`. skipped: the others.
 */
export const suppressionReasons = [
  "sent",
  /** Held until the maintenance of the target ends. */
  "maintenance",
  /** Held until the silence of the target ends. */
  "silenced",
  /** Held until the snooze of the incident ends. */
  "snoozed",
  /** Held until the quiet hours end. */
  "quiet_hours",
  /** Held while what it depends on has an incident. */
  "dependency",
  /** The settings that hold for the target are switched off. */
  "disabled",
  /** They leave this event out. */
  "event_off",
  /** They name no channel. */
  "no_channels",
  "channel_disabled",
  /** It ended before its time came. */
  "ended_before",
  /** Its opening was not sent there, so its end is not either. */
  "opening_not_told",
  /** It ended because a user paused, edited or deleted the target. */
  "ended_by_people",
] as const;
export type AlertReason = (typeof suppressionReasons)[number];
