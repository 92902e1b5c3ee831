import type { CheckResult } from "@sonde/proto/http/checks";
import type { Incident } from "@sonde/proto/gen/events/v1/events";
import { say } from "@sonde/proto/http/incident-messages";
import { type TimelineEntry, timelineTypes } from "@sonde/proto/http/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { explain } from "@sonde/proto/http/reasons";
import { orNull } from "../or-null.ts";
import { presentIncident } from "../presenters/incident.ts";
import { instantOf } from "../presenters/instant.ts";
import { readResolution } from "../presenters/unions.ts";
import type { Base } from "../route.ts";
import { channelAnswers } from "./channel-answers.ts";
import { failureEntries, resultsLookedAt } from "./failures.ts";
import { readIncident } from "./one.ts";
import { toldEntries } from "./told.ts";
import { closingOf } from "./words.ts";

/**
 * An incident with all that is known of it: what happened, who was told when and how, and why others were not. Each
 * sentence is in the language that is asked for.
 * @throws AppError `not_found`; `unavailable` while the service that opened it is away
 */
export async function readStory(asking: Pick<Base, "services" | "ask">, id: string, language: Language) {
  const { services, ask } = asking;
  const incident = await readIncident(asking, id);
  const [results, explained, listed] = await Promise.all([
    orNull(readResults(asking, incident)),
    orNull(services.notifications.explainIncident({ incidentId: id }, ask)),
    orNull(services.notifications.listChannels({}, ask)),
  ]);
  const told = explained === null ? noneTold : toldEntries(incident, explained, language);
  const entries = [
    ...failureEntries(results ?? [], incident.openedAtMs, language),
    ...ownEntries(incident, language),
    ...told.entries,
  ];
  const unavailable = [
    ...(results === null ? (["checks"] as const) : []),
    ...(explained === null || listed === null ? (["notifications"] as const) : []),
  ];
  return {
    incident: presentIncident(incident),
    timeline: entries.toSorted((one, other) => one.at.localeCompare(other.at) || rankOf(one) - rankOf(other)),
    omitted: told.omitted || undefined,
    channels: explained === null ? [] : channelAnswers(incident, explained, listed?.channels ?? [], language),
    nextReminderAt: explained?.nextReminderAt,
    unavailable: unavailable.length > 0 ? unavailable : undefined,
  };
}

const noneTold = { entries: [], omitted: 0 };

/** Raw results up to the opening; only checks of monitors leave any, and only what went down was opened by them. */
async function readResults({ services, ask }: Pick<Base, "services" | "ask">, incident: Incident) {
  const { targetType, targetId, kind, openedAtMs } = incident;
  if (targetType !== "monitor" || kind !== "down") return [] as CheckResult[];
  const range = { monitorId: targetId, beforeMs: openedAtMs + 1, limit: resultsLookedAt };
  return (await services.metrics.listChecks(range, ask)).checks;
}

/** What the incident itself tells. */
function ownEntries(incident: Incident, language: Language): TimelineEntry[] {
  const { openedAtMs, closedAtMs, acknowledgedAtMs, acknowledgedBy: name = "", note = "" } = incident;
  const cause = explain(incident.cause, language);
  const entries: TimelineEntry[] = [
    { at: instantOf(openedAtMs), type: "opened", text: say("The incident opened: {cause}", language, { cause }) },
  ];
  if (acknowledgedAtMs !== undefined) {
    const message = note === "" ? "{name} acknowledged it" : "{name} acknowledged it: {note}";
    const text = say(message, language, { name, note });
    entries.push({ at: instantOf(acknowledgedAtMs), type: "acknowledged", text });
  }
  if (closedAtMs !== undefined) {
    const text = say(closingOf[readResolution(incident.resolution ?? "recovered")], language);
    entries.push({ at: instantOf(closedAtMs), type: "closed", text });
  }
  return entries;
}

/** Of what happened in the same millisecond, causes come before what followed from them. */
const rankOf = ({ type }: TimelineEntry) => timelineTypes.indexOf(type);
