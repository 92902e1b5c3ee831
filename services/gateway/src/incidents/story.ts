import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { incidentText } from "@sonde/proto/http/incidents/messages";
import { type Incident, type TimelineEntry, timelineTypes } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { orNull } from "../or-null.ts";
import type { HandlerBase } from "../route.ts";
import { channelAnswers } from "./channel-answers.ts";
import { failureEntries, resultsLookedAt } from "./failures.ts";
import { readIncident } from "./read.ts";
import { notifiedEntries } from "./notified.ts";
import { closingOf } from "./words.ts";

/**
 * An incident with its timeline: what happened, which channels were notified when and how, and why others were not.
 * Sentences are in the requested language.
 * @throws AppError `not_found`; `unavailable` while the service that opened it is unavailable
 */
export async function readStory(asking: Pick<HandlerBase, "services" | "ask">, id: string, language: Language) {
  const { services, ask } = asking;
  const incident = await readIncident(asking, id);
  const [results, explained, listed] = await Promise.all([
    orNull(readResults(asking, incident)),
    orNull(services.notifications.explainIncident({ incidentId: id }, ask)),
    orNull(services.notifications.listChannels({}, ask)),
  ]);
  const told = explained === null ? noneTold : notifiedEntries(incident, explained, language);
  const entries = [
    ...failureEntries(results ?? [], Date.parse(incident.openedAt), language),
    ...ownEntries(incident, language),
    ...told.entries,
  ];
  const unavailable = [
    ...(results === null ? (["checks"] as const) : []),
    ...(explained === null || listed === null ? (["notifications"] as const) : []),
  ];
  return {
    incident,
    timeline: entries.toSorted((one, other) => one.at.localeCompare(other.at) || rankOf(one) - rankOf(other)),
    omitted: told.omitted || undefined,
    channels: explained === null ? [] : channelAnswers(incident, explained, listed?.channels ?? [], language),
    nextReminderAt: explained?.nextReminderAt,
    unavailable: unavailable.length > 0 ? unavailable : undefined,
  };
}

const noneTold = { entries: [], omitted: 0 };

/** Raw results up to the opening; only monitors have any, and only incidents of kind down were opened by them. */
async function readResults({ services, ask }: Pick<HandlerBase, "services" | "ask">, incident: Incident) {
  const { target, kind, openedAt } = incident;
  if (target.type !== "monitor" || kind !== "down") return [] as CheckResult[];
  const range = { monitorId: target.id, beforeMs: Date.parse(openedAt) + 1, limit: resultsLookedAt };
  return (await services.metrics.listChecks(range, ask)).checks;
}

/** The entries from the incident itself. */
function ownEntries(incident: Incident, language: Language): TimelineEntry[] {
  const { openedAt, closedAt, acknowledgedAt, acknowledgedBy: name = "", note = "" } = incident;
  const cause = explain(incident.cause, language);
  const entries: TimelineEntry[] = [
    { at: openedAt, type: "opened", text: incidentText("The incident opened: {cause}", language, { cause }) },
  ];
  if (acknowledgedAt !== undefined) {
    const message = note === "" ? "{name} acknowledged it" : "{name} acknowledged it: {note}";
    const text = incidentText(message, language, { name, note });
    entries.push({ at: acknowledgedAt, type: "acknowledged", text });
  }
  if (closedAt !== undefined) {
    const text = incidentText(closingOf[incident.resolution ?? "recovered"], language);
    entries.push({ at: closedAt, type: "closed", text });
  }
  return entries;
}

/** Of what happened in the same millisecond, causes come before what followed from them. */
const rankOf = ({ type }: TimelineEntry) => timelineTypes.indexOf(type);
