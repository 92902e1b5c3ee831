/** Kinds of alerts. `test` has no incident: a user tests a channel. */
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
  "slow",
  "fast",
  "external",
  "resolved",
  "burning",
  "calm",
  "flapping",
  "steady",
  "test",
] as const;
export type AlertKind = (typeof alertKinds)[number];

/** Kinds that can have a template. */
export const templateKinds = alertKinds.filter((kind) => kind !== "test") as readonly Exclude<AlertKind, "test">[];
export type TemplateKind = (typeof templateKinds)[number];

/**
 * Why a channel was notified, is deferred, or was skipped. sent: `sent`. deferred: `maintenance`, `silenced`,
 * `snoozed`, `quiet_hours`, `dependency`, `group`, `waiting`, `low_urgency`. skipped: the others.
 */
export const suppressionReasons = [
  "sent",
  /** Deferred until the target's maintenance ends. */
  "maintenance",
  /** Deferred until the target's silence ends. */
  "silenced",
  /** Deferred until the incident's snooze ends. */
  "snoozed",
  /** Deferred until quiet hours end. */
  "quiet_hours",
  /** Deferred while a dependency has an incident. */
  "dependency",
  /** Deferred: only the target's group alerts. */
  "group",
  /** Notifications for the target are disabled. */
  "disabled",
  /** This event is disabled in the settings. */
  "event_off",
  /** No channel is selected. */
  "no_channels",
  "channel_disabled",
  /** It ended before it was due. */
  "ended_before",
  /** The channel was not notified of the opening, so it is not notified of the end. */
  "opening_not_told",
  /** It ended because a user paused, edited or deleted the target. */
  "ended_by_people",
  /** The monitor was slow and went down, which is another incident. */
  "replaced",
  /** The incident was acknowledged, which stops its policy. */
  "acknowledged",
  /** A step of the policy reaches nobody at that time. */
  "nobody_on_call",
  /** Deferred until the person's contact is due. */
  "waiting",
  /** Low urgency: deferred until the person's night ends. */
  "low_urgency",
  /** Sent by a drill. */
  "drill",
] as const;
export type AlertReason = (typeof suppressionReasons)[number];

export const deferralReasons = [
  "maintenance",
  "silenced",
  "snoozed",
  "quiet_hours",
  "dependency",
  "group",
] as const satisfies readonly AlertReason[];
export type DeferralReason = (typeof deferralReasons)[number];
