import type { AlertReason } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { QuietHours } from "@sonde/proto/http/notifications/settings";
import type { AlertPolicy } from "../settings/store.ts";
import type { MomentName } from "./incident.ts";

export type ChannelDecision = {
  /** `null` if the decision is about no particular channel. */
  channelId: number | null;
  reason: AlertReason;
} & (
  | { outcome: "sent" }
  | {
      outcome: "held";
      /** When it is decided again; `null` until the parent's incident closes. */
      untilMs: number | null;
      parentIncidentId?: string | undefined;
    }
  | { outcome: "skipped" }
);

export type Audience = { id: number; isEnabled: boolean; reader: "people" | "machine" };

/** Moments of an incident that a channel was notified of, not counting failed deliveries. */
export type NotifiedMoments = Partial<Record<MomentName, boolean>> & {
  isWaiting?: boolean;
};

export type DecisionInput = {
  kind: IncidentKind;
  maintenanceUntilMs: number | null;
  silencedUntilMs: number | null;
  snoozedUntilMs: number | null;
  /** Only a group of the target alerts. */
  isLeftToGroup?: boolean;
  policy: AlertPolicy;
  channels: ReadonlyMap<number, Audience>;
  /** By channel id, including channels that the settings no longer list. */
  notified: ReadonlyMap<number, NotifiedMoments>;
  nowMs: number;
};

const skipped = (channelId: number | null, reason: AlertReason): ChannelDecision => ({
  channelId,
  outcome: "skipped",
  reason,
});
const sent = (channelId: number): ChannelDecision => ({ channelId, outcome: "sent", reason: "sent" });

const orNoChannel = (decisions: ChannelDecision[], { policy }: DecisionInput): ChannelDecision[] =>
  decisions.length > 0 ? decisions : [skipped(null, policy.isEnabled ? "no_channels" : "disabled")];

const audiences = ({ policy, channels }: DecisionInput): Audience[] =>
  policy.channelIds.flatMap((id) => channels.get(id) ?? []);

type WithParent = DecisionInput & {
  /** The open incident that defers this one. */
  parentIncidentId: string | null;
};

/** Returns what defers all messages about an incident except its closing, or `null`. */
export function deferralOf(input: Omit<WithParent, "channels" | "notified">) {
  const { maintenanceUntilMs, silencedUntilMs, snoozedUntilMs, parentIncidentId } = input;
  if (input.isLeftToGroup === true) return { outcome: "held", reason: "group", untilMs: null } as const;
  const deferrals = [
    ["maintenance", maintenanceUntilMs],
    ["silenced", silencedUntilMs],
    ["snoozed", snoozedUntilMs],
  ] as const;
  for (const [reason, untilMs] of deferrals) if (untilMs !== null) return { outcome: "held", reason, untilMs } as const;
  if (parentIncidentId === null) return null;
  return { outcome: "held", reason: "dependency", untilMs: null, parentIncidentId } as const;
}

/**
 * Decides which channels to notify of an opening, of flapping, of its end (`isOver`) or of a reminder. Maintenance, a
 * silence, a snooze and dependencies defer it for all channels, quiet hours only for channels that people read.
 */
export function decideNews(
  input: WithParent & { isOver?: boolean },
  among: (channel: Audience) => ChannelDecision | "eligible" | "omitted" = () => "eligible",
): ChannelDecision[] {
  const { policy, kind, isOver = false, nowMs } = input;
  const deferral = deferralOf(input);
  const quietUntilMs = policy.quietHours === null ? null : quietUntil(policy.quietHours, nowMs);
  const decide = (channel: Audience): ChannelDecision[] => {
    const { id, reader, isEnabled } = channel;
    if (!policy.isEnabled) return [skipped(id, "disabled")];
    if (!policy.wants(kind, isOver)) return [skipped(id, "event_off")];
    if (!isEnabled) return [skipped(id, "channel_disabled")];
    const verdict = among(channel);
    if (verdict !== "eligible") return verdict === "omitted" ? [] : [verdict];
    if (deferral !== null) return [{ channelId: id, ...deferral }];
    if (quietUntilMs !== null && reader === "people") {
      return [{ channelId: id, outcome: "held", reason: "quiet_hours", untilMs: quietUntilMs }];
    }
    return [sent(id)];
  };
  return orNoChannel(audiences(input).flatMap(decide), input);
}

export function decideSteady(input: WithParent): ChannelDecision[] {
  return decideNews({ ...input, isOver: true }, ({ id }) =>
    input.notified.get(id)?.flapping === true ? "eligible" : skipped(id, "opening_not_told"),
  );
}

/** All in the settings, except where the opening or the last reminder is still deferred. May be empty. */
export function decideReminder(input: WithParent): ChannelDecision[] {
  const isWaiting = (id: number) => input.notified.get(id)?.isWaiting === true;
  return decideNews(input, ({ id }) => (isWaiting(id) ? "omitted" : "eligible")).filter(
    ({ channelId }) => channelId !== null,
  );
}

type ClosingInput = { quiet: boolean; resolution?: IncidentResolution | undefined };

/**
 * Decides which channels to notify of a closing: those that were notified of the opening. Machines always are, since
 * they keep their own incident state. People are if their settings include recoveries, unless a user ended the incident
 * (`quiet`: paused, edited, deleted), or it went down while slow. A closing is never deferred.
 */
export function decideClosing({ quiet, resolution, ...input }: DecisionInput & ClosingInput): ChannelDecision[] {
  const { policy, channels, notified, kind } = input;
  const decide = ({ id, isEnabled, reader }: Audience): ChannelDecision => {
    const { opened, reminder, flapping, step } = notified.get(id) ?? {};
    if (![opened, reminder, flapping, step].includes(true)) return skipped(id, "opening_not_told");
    if (!isEnabled) return skipped(id, "channel_disabled");
    if (reader === "machine") return sent(id);
    if (quiet) return skipped(id, resolution === "replaced" ? "replaced" : "ended_by_people");
    if (!policy.isEnabled) return skipped(id, "disabled");
    return policy.wants(kind, true) ? sent(id) : skipped(id, "event_off");
  };
  const concerned = [...new Set([...policy.channelIds, ...notified.keys()])].sort((one, other) => one - other);
  return orNoChannel(concerned.flatMap((id) => channels.get(id) ?? []).map(decide), input);
}

/**
 * Returns the end of the quiet hours that contain an instant, or `null`. Both are epoch milliseconds. Start and end are
 * converted by the rules of the time zone (RFC 5545: a skipped local time uses the offset before the gap, a repeated
 * one means the first), so quiet hours across a clock change keep their real length and end after they start.
 */
export function quietUntil({ start, end, timeZone }: QuietHours, nowMs: number): number | null {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs));
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const endsNextDay = end < start;
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  // Quiet hours that began yesterday may still be running.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const endMs = at(endsNextDay ? day.add({ days: 1 }) : day, end);
    if (at(day, start) <= nowMs && nowMs < endMs) return endMs;
  }
  return null;
}
