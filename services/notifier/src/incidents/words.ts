import type { AlertKind, AlertReason } from "@sonde/proto/http/incidents/alerts";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { type IncidentMessage, incidentText } from "@sonde/proto/http/incidents/messages";
import type { Language } from "@sonde/proto/http/messages";
import { explainAnswer, nothingToSend } from "@sonde/proto/http/notifications/delivery-answers";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { alertKindOf, readMoment } from "../alerts/incident.ts";

export type RecordedDecision = {
  /** AlertMoment: opened, closed, flapping:<n>, steady:<n>, reminder:<n>, step:<repeat>.<n>. */
  moment: string;
  atMs: number;
  /** `null` if the decision is about no particular channel. */
  channelId: number | null;
  /** `null` for a deleted channel that nothing was sent to. */
  channelName: string | null;
  outcome: "sent" | "held" | "skipped";
  reason: AlertReason;
  untilMs: number | null;
  parentName: string | null;
  /** Time zone of the channel's owner. */
  timeZone?: string | null;
  /** Who asked for a step, if somebody did. */
  request?: { by?: string; note?: string } | null;
};

const names: Record<AlertKind, IncidentMessage> = {
  down: "Down",
  recovery: "Recovered",
  offline: "Offline",
  online: "Back online",
  threshold: "Above threshold",
  cleared: "Below threshold again",
  stale: "No data",
  fresh: "Receiving data again",
  partial: "Down from some locations",
  whole: "Up from all locations again",
  slow: "Slow",
  fast: "No longer slow",
  external: "Alert firing",
  resolved: "Alert resolved",
  burning: "Error budget burning",
  calm: "Error budget no longer burning",
  flapping: "Flapping",
  steady: "Stable again",
  test: "Test",
};

/** @param reminder counts from 1; 0 for no reminder; `null` if its number is unknown */
export function nameOfAlert(kind: AlertKind, reminder: number | null, language: Language): string {
  const alert = incidentText(names[kind], language);
  if (reminder === 0) return alert;
  if (reminder === null) return incidentText("{alert}, reminder", language, { alert });
  return incidentText("{alert}, reminder {number}", language, { alert, number: reminder });
}

export function alertOf(
  { kind }: Pick<Incident, "kind">,
  moment: string,
): { kind: AlertKind; reminder: number | null } {
  const { name, number } = readMoment(moment);
  return { kind: alertKindOf(kind, name), reminder: name === "reminder" ? number || null : 0 };
}

/** Names a reminder or step with its number. */
export function nameOf(incident: Pick<Incident, "kind">, moment: string, language: Language): string {
  const { kind, reminder } = alertOf(incident, moment);
  const { step } = readMoment(moment);
  const alert = nameOfAlert(kind, reminder, language);
  return step === 0 ? alert : incidentText("{alert}, step {number}", language, { alert, number: step });
}

export function whyText(
  incident: Pick<Incident, "kind">,
  { moment, reason, parentName, untilMs, timeZone }: RecordedDecision,
  channel: string | undefined,
  language: Language,
): string {
  const alert = nameOf(incident, moment, language);
  if (reason === "sent")
    return incidentText("Sending “{alert}” to {channels}", language, { alert, channels: channel ?? "" });
  const parent = parentName || incidentText("a dependency", language);
  const message = whyNot[reason][channel === undefined ? "nobody" : "channel"];
  const until = untilMs === null ? "" : timeOf(untilMs, timeZone ?? "UTC");
  return incidentText(message, language, { alert, parent, channel: channel ?? "", until });
}

/** `07:00`, or `07:00 UTC` if the person's time zone is unknown. */
function timeOf(atMs: number, timeZone: string): string {
  const time = Temporal.Instant.fromEpochMilliseconds(Math.floor(atMs)).toZonedDateTimeISO(timeZone).toPlainTime();
  return `${time.toString({ smallestUnit: "minute" })}${timeZone === "UTC" ? " UTC" : ""}`;
}

export function deliveryText(delivery: Delivery, language: Language): string {
  const { attempts, channelName: channel } = delivery;
  const count = attempts.length;
  const alert = nameOfAlert(delivery.kind, delivery.reminder ?? 0, language);
  const last = attempts.at(-1)?.answer ?? "";
  const answer = explainAnswer(last, language) || incidentText("unknown result", language);
  return incidentText(messageOf(delivery, count, last), language, { alert, channel, count, answer });
}

function messageOf({ status }: Delivery, count: number, answer: string): IncidentMessage {
  switch (status) {
    case "delivered":
      // No request was sent to PagerDuty, so "delivered" would be wrong.
      if (answer === nothingToSend) return "“{alert}” was not sent to {channel}: PagerDuty sends its own reminders";
      return count > 1
        ? "“{alert}” was delivered to {channel} on attempt {count}"
        : "“{alert}” was delivered to {channel}";
    case "failed":
      return count > 1
        ? "“{alert}” was not delivered to {channel} after {count} attempts: {answer}"
        : "“{alert}” was not delivered to {channel}: {answer}";
    case "pending":
      return count === 0
        ? "“{alert}” is waiting to be sent to {channel}"
        : "“{alert}” has not been delivered to {channel} yet; retrying: {answer}";
  }
}

type Why = { channel: IncidentMessage; nobody: IncidentMessage };

const whyNot: Record<Exclude<AlertReason, "sent">, Why> = {
  maintenance: {
    channel: "“{alert}” to {channel} is deferred until the maintenance ends",
    nobody: "“{alert}” is deferred until the maintenance ends",
  },
  silenced: {
    channel: "“{alert}” to {channel} is deferred until the silence ends",
    nobody: "“{alert}” is deferred until the silence ends",
  },
  snoozed: {
    channel: "“{alert}” to {channel} is deferred until the snooze ends",
    nobody: "“{alert}” is deferred until the snooze ends",
  },
  quiet_hours: {
    channel: "“{alert}” to {channel} is deferred until quiet hours end",
    nobody: "“{alert}” is deferred until quiet hours end",
  },
  dependency: {
    channel: "“{alert}” to {channel} is deferred while {parent} has an incident",
    nobody: "“{alert}” is deferred while {parent} has an incident",
  },
  group: {
    channel: "“{alert}” was not sent to {channel}: only the group alerts",
    nobody: "“{alert}” was not sent: only the group alerts",
  },
  disabled: {
    channel: "“{alert}” was not sent to {channel}: notifications for this target are disabled",
    nobody: "“{alert}” was not sent: notifications for this target are disabled",
  },
  event_off: {
    channel: "“{alert}” was not sent to {channel}: this event is disabled in the settings",
    nobody: "“{alert}” was not sent: this event is disabled in the settings",
  },
  no_channels: {
    channel: "Not sent: no channel selected",
    nobody: "Not sent: no channel selected",
  },
  channel_disabled: {
    channel: "“{alert}” was not sent to {channel}: the channel is disabled",
    nobody: "“{alert}” was not sent: the channel is disabled",
  },
  ended_before: {
    channel: "“{alert}” was not sent to {channel}: the incident ended before the alert was due",
    nobody: "“{alert}” was not sent: the incident ended before the alert was due",
  },
  opening_not_told: {
    channel: "“{alert}” was not sent to {channel}: the channel was not notified when the incident opened",
    nobody: "“{alert}” was not sent: no channel was notified when the incident opened",
  },
  ended_by_people: {
    channel: "“{alert}” was not sent to {channel}: the target was paused, edited or deleted",
    nobody: "“{alert}” was not sent: the target was paused, edited or deleted",
  },
  replaced: {
    channel: "“{alert}” was not sent to {channel}: the monitor went down, which is another incident",
    nobody: "“{alert}” was not sent: the monitor went down, which is another incident",
  },
  acknowledged: {
    channel: "“{alert}” was not sent to {channel}: the incident was acknowledged first",
    nobody: "“{alert}” was not sent: the incident was acknowledged first",
  },
  nobody_on_call: {
    channel: "“{alert}” was not sent to {channel}: nobody was on call",
    nobody: "“{alert}”: nobody was on call",
  },
  waiting: {
    channel: "“{alert}” to {channel} is due later, unless somebody acknowledges",
    nobody: "“{alert}” is due later, unless somebody acknowledges",
  },
  low_urgency: {
    channel: "“{alert}” to {channel}: low urgency until {until}",
    nobody: "“{alert}”: low urgency until {until}",
  },
  drill: {
    channel: "“{alert}” to {channel} is a drill",
    nobody: "“{alert}” is a drill",
  },
};
