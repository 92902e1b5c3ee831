import type { AlertKind, AlertReason } from "@sonde/proto/http/incidents/alerts";
import { type IncidentMessage, incidentText } from "@sonde/proto/http/incidents/messages";
import type { Incident, IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";

const names: Record<AlertKind, IncidentMessage> = {
  down: "Down",
  recovery: "Recovered",
  offline: "Offline",
  online: "Online again",
  threshold: "Above the threshold",
  cleared: "Below the threshold again",
  stale: "No data",
  fresh: "Data again",
  flapping: "Flapping",
  steady: "Stable again",
  test: "Test",
};

/** The name of an alert in words. @param reminder counts reminders from 1; 0: none; null: it is one, of unknown number */
export function nameOfAlert(kind: AlertKind, reminder: number | null, language: Language): string {
  const alert = incidentText(names[kind], language);
  if (reminder === 0) return alert;
  if (reminder === null) return incidentText("{alert}, reminder", language, { alert });
  return incidentText("{alert}, reminder {number}", language, { alert, number: reminder });
}

const closings: Record<IncidentKind, AlertKind> = {
  down: "recovery",
  offline: "online",
  threshold: "cleared",
  stale: "fresh",
};

/**
 * The alert of a moment of an incident: `opened`, `closed`, `flapping`, `steady`, `reminder`, with or without a number.
 */
export function alertOf(incident: Incident, moment: string): { kind: AlertKind; reminder: number | null } {
  const [what = "", number] = moment.split(":");
  const { kind } = incident;
  if (what === "closed") return { kind: closings[kind], reminder: 0 };
  if (what === "flapping" || what === "steady") return { kind: what, reminder: 0 };
  return { kind, reminder: what === "reminder" ? Number(number) || null : 0 };
}

/** How an incident ended, in words. */
export const closingOf: Record<IncidentResolution, IncidentMessage> = {
  recovered: "It recovered, and the incident closed",
  paused: "The incident closed: the monitor was paused",
  deleted: "The incident closed: its target was deleted",
  edited: "The incident closed: the settings of its target changed",
};

type Why = { channel: IncidentMessage; nobody: IncidentMessage };

/** Why an alert was not, or not yet, sent: to one channel, or to any. */
export const whyNot: Record<Exclude<AlertReason, "sent">, Why> = {
  maintenance: {
    channel: "“{alert}” is held for {channel} until the maintenance ends",
    nobody: "“{alert}” is held until the maintenance ends",
  },
  quiet_hours: {
    channel: "“{alert}” is held for {channel} until the quiet hours end",
    nobody: "“{alert}” is held until the quiet hours end",
  },
  dependency: {
    channel: "“{alert}” is held for {channel} while {parent} has an incident",
    nobody: "“{alert}” is held while {parent} has an incident",
  },
  disabled: {
    channel: "“{alert}” was not sent to {channel}: its notifications are switched off",
    nobody: "“{alert}” was not sent: its notifications are switched off",
  },
  event_off: {
    channel: "“{alert}” was not sent to {channel}: this event is switched off in the settings",
    nobody: "“{alert}” was not sent: this event is switched off in the settings",
  },
  no_channels: {
    channel: "“{alert}” was not sent to {channel}: no channel is chosen in the settings",
    nobody: "“{alert}” was not sent: no channel is chosen in the settings",
  },
  channel_disabled: {
    channel: "“{alert}” was not sent to {channel}: the channel is disabled",
    nobody: "“{alert}” was not sent: the channel is disabled",
  },
  ended_before: {
    channel: "“{alert}” was not sent to {channel}: it was over before it was to be sent",
    nobody: "“{alert}” was not sent: it was over before it was to be sent",
  },
  opening_not_told: {
    channel: "“{alert}” was not sent to {channel}: its beginning was not sent there",
    nobody: "“{alert}” was not sent: its beginning was not sent",
  },
  ended_by_people: {
    channel: "“{alert}” was not sent to {channel}: somebody paused, edited or deleted the target",
    nobody: "“{alert}” was not sent: somebody paused, edited or deleted the target",
  },
};
