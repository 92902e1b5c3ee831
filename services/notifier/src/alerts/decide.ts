import type { AlertReason } from "@sonde/proto/http/incidents/alerts";
import type { IncidentKind } from "@sonde/proto/http/incidents/incidents";
import type { QuietHours } from "@sonde/proto/http/notifications/settings";
import type { AlertPolicy } from "../settings/store.ts";
import type { MomentName } from "./incident.ts";

export type ChannelDecision = {
  /** Null: of no channel in particular. */
  channelId: number | null;
  reason: AlertReason;
} & (
  | { outcome: "sent" }
  | {
      outcome: "held";
      /** When it is decided again; null: when the parent's incident closes. */
      untilMs: number | null;
      parentIncidentId?: string;
    }
  | { outcome: "skipped" }
);

export type Audience = { id: number; isEnabled: boolean; reader: "people" | "machine" };

/** The moments of an incident that a channel was notified of so far, by deliveries that did not fail. */
export type NotifiedMoments = Partial<Record<MomentName, boolean>> & {
  /** The opening, or a reminder, is deferred for it. */
  isWaiting?: boolean;
};

export type DecisionInput = {
  kind: IncidentKind;
  /** When the maintenance of its target that runs now ends; null: none runs. */
  maintenanceUntilMs: number | null;
  /** The same of the silence of its target, and of its own snooze. */
  silencedUntilMs: number | null;
  snoozedUntilMs: number | null;
  policy: AlertPolicy;
  channels: ReadonlyMap<number, Audience>;
  /** By channel; also of channels that the settings name no longer. */
  told: ReadonlyMap<number, NotifiedMoments>;
  nowMs: number;
};

const skipped = (channelId: number | null, reason: AlertReason): ChannelDecision => ({
  channelId,
  outcome: "skipped",
  reason,
});
const sent = (channelId: number): ChannelDecision => ({ channelId, outcome: "sent", reason: "sent" });

/** Records the reason when the settings name no channel. */
const orNobody = (decisions: ChannelDecision[], { policy }: DecisionInput): ChannelDecision[] =>
  decisions.length > 0 ? decisions : [skipped(null, policy.isEnabled ? "no_channels" : "disabled")];

const audiences = ({ policy, channels }: DecisionInput): Audience[] =>
  policy.channelIds.flatMap((id) => channels.get(id) ?? []);

/**
 * The channels to notify of an opening, of flapping, of its end (`isOver`) or of a reminder. Maintenance, a silence, a
 * snooze and dependencies defer it for all channels, quiet hours for people.
 * @param parentIncidentId the open incident that defers this one
 */
export function decideNews(
  question: DecisionInput & { parentIncidentId: string | null; isOver?: boolean },
  among: (channel: Audience) => ChannelDecision | "asked" | "left out" = () => "asked",
): ChannelDecision[] {
  const { policy, kind, parentIncidentId, isOver = false, nowMs } = question;
  const holds = [
    ["maintenance", question.maintenanceUntilMs],
    ["silenced", question.silencedUntilMs],
    ["snoozed", question.snoozedUntilMs],
  ] as const;
  const quietUntilMs = policy.quietHours === null ? null : quietUntil(policy.quietHours, nowMs);
  const decide = (channel: Audience): ChannelDecision[] => {
    const { id, reader, isEnabled } = channel;
    if (!policy.isEnabled) return [skipped(id, "disabled")];
    if (!policy.tells(kind, isOver)) return [skipped(id, "event_off")];
    if (!isEnabled) return [skipped(id, "channel_disabled")];
    const given = among(channel);
    if (given !== "asked") return given === "left out" ? [] : [given];
    for (const [reason, untilMs] of holds) {
      if (untilMs !== null) return [{ channelId: id, outcome: "held", reason, untilMs }];
    }
    if (parentIncidentId !== null) {
      return [{ channelId: id, outcome: "held", reason: "dependency", untilMs: null, parentIncidentId }];
    }
    if (quietUntilMs !== null && reader === "people") {
      return [{ channelId: id, outcome: "held", reason: "quiet_hours", untilMs: quietUntilMs }];
    }
    return [sent(id)];
  };
  return orNobody(audiences(question).flatMap(decide), question);
}

/** The channels to notify that flapping ended: those that were notified of it. */
export function decideSteady(question: DecisionInput & { parentIncidentId: string | null }): ChannelDecision[] {
  return decideNews({ ...question, isOver: true }, ({ id }) =>
    question.told.get(id)?.flapping === true ? "asked" : skipped(id, "opening_not_told"),
  );
}

/**
 * The channels to remind: all that the settings name, except those whose opening, or last reminder, is still deferred.
 * Empty if none remains.
 */
export function decideReminder(question: DecisionInput & { parentIncidentId: string | null }): ChannelDecision[] {
  const isWaiting = (id: number) => question.told.get(id)?.isWaiting === true;
  return decideNews(question, ({ id }) => (isWaiting(id) ? "left out" : "asked")).filter(
    ({ channelId }) => channelId !== null,
  );
}

/**
 * The channels to notify of a closing: those that were notified of the opening. A machine always, since it keeps an
 * incident of its own; people if their settings include recoveries, and not if a user ended it (`quiet`: paused,
 * edited, deleted). A closing is never deferred.
 */
export function decideClosing({ quiet, ...question }: DecisionInput & { quiet: boolean }): ChannelDecision[] {
  const { policy, channels, told, kind } = question;
  const decide = ({ id, isEnabled, reader }: Audience): ChannelDecision => {
    const { opened, reminder, flapping } = told.get(id) ?? {};
    if (![opened, reminder, flapping].includes(true)) return skipped(id, "opening_not_told");
    if (!isEnabled) return skipped(id, "channel_disabled");
    if (reader === "machine") return sent(id);
    if (quiet) return skipped(id, "ended_by_people");
    if (!policy.isEnabled) return skipped(id, "disabled");
    return policy.tells(kind, true) ? sent(id) : skipped(id, "event_off");
  };
  const concerned = [...new Set([...policy.channelIds, ...told.keys()])].sort((one, other) => one - other);
  return orNobody(concerned.flatMap((id) => channels.get(id) ?? []).map(decide), question);
}

/**
 * The end of the quiet hours that contain an instant; null outside of them. Both are epoch milliseconds.
 * Start and end of each day become instants by the rules of the zone (RFC 5545: a time that a clock skips is read by
 * the offset before, of one that occurs twice the first counts), so that quiet hours across a clock change have their
 * real length, and end after their start.
 */
export function quietUntil({ start, end, timeZone }: QuietHours, nowMs: number): number | null {
  const now = Temporal.Instant.fromEpochMilliseconds(Math.floor(nowMs));
  const today = now.toZonedDateTimeISO(timeZone).toPlainDate();
  const endsNextDay = end < start;
  const at = (date: Temporal.PlainDate, time: string) =>
    date.toZonedDateTime({ timeZone, plainTime: Temporal.PlainTime.from(time) }).epochMilliseconds;
  // Those that began yesterday may not be over.
  for (const day of [today.subtract({ days: 1 }), today]) {
    const endMs = at(endsNextDay ? day.add({ days: 1 }) : day, end);
    if (at(day, start) <= nowMs && nowMs < endMs) return endMs;
  }
  return null;
}
