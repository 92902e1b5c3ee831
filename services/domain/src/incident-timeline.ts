import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import type { TracedPath } from "@sonde/proto/http/incidents/explanation";
import {
  type Incident,
  type IncidentProducer,
  type IncidentResolution,
  type incidentStoryAnswer,
  type TimelineEntry,
  timelineTypes,
} from "@sonde/proto/http/incidents/incidents";
import { type IncidentMessage, incidentText } from "@sonde/proto/http/incidents/messages";
import type { Language } from "@sonde/proto/http/messages";
import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { explain } from "@sonde/proto/http/reasons/reasons";
import type { IncidentAction, incidentsContract, Opinion } from "@sonde/proto/rpc/incidents";
import type { metricsContract } from "@sonde/proto/rpc/metrics";
import type { AskOptions, Client } from "@sonde/kit/bus/rpc";
import { orNull } from "@sonde/kit/errors";
import type { z } from "zod";
import { comparisonOf } from "./incidents/what-changed.ts";

export type TimelineSources = {
  incidents: Pick<Client<typeof incidentsContract>, "getIncident">;
  metrics: Pick<Client<typeof metricsContract>, "listChecks" | "incidentEvidence">;
};

/** Both calls in sequence must fit in a call of the notifier. */
const incidentMs = 1_500;
const checksMs = 2_000;

/** The id begins with the letter of its target. Drills are incidents that only the notifier knows. */
export const producerOfIncident = (id: string): IncidentProducer | "drills" =>
  id.startsWith("d") ? "drills" : id.startsWith("a") ? "agents" : "monitors";

type Recovering = Pick<z.infer<typeof incidentStoryAnswer>, "recovery" | "sharedCause" | "whatChanged">;
type IncidentEvidence = {
  evidence?: Evidence | undefined;
  latestEvidence?: Evidence | undefined;
  paths?: TracedPath[] | undefined;
};

/**
 * Reads an incident and the failed checks that led to it. If metrics is unavailable, the checks are missing.
 * @throws AppError `not_found`; `unavailable` if the service that opened it is
 */
export async function readTimeline(
  { incidents, metrics }: TimelineSources,
  { id, language }: { id: string; language: Language },
  { call }: Pick<AskOptions, "call">,
): Promise<{ incident: Incident; timeline: TimelineEntry[]; unavailable: "checks"[] } & Recovering & IncidentEvidence> {
  const asking = { call, scope: producerOfIncident(id), timeoutMs: incidentMs };
  const { incident, actions, opinions, recovery, sharedCause } = await incidents.getIncident({ id }, asking);
  const { target, openedAt } = incident;
  const openedAtMs = Date.parse(openedAt);
  const range = { monitorId: target.id, beforeMs: openedAtMs + 1, limit: resultsLookedAt };
  const [read, evidence] = await Promise.all([
    isOfChecks(incident) ? orNull(metrics.listChecks(range, { call, timeoutMs: checksMs })) : { checks: [] },
    readEvidence(metrics, incident, language, { call }),
  ]);
  const failures = failureEntries(read?.checks ?? [], openedAtMs, language);
  return {
    incident,
    timeline: inOrder([
      ...failures,
      ...opinions.map((opinion) => opinionEntry(opinion, language)),
      ...ownEntries(incident, language),
      ...actions.map((action) => actionEntry(action, language)),
    ]),
    ...evidence,
    whatChanged: comparisonOf(evidence.evidence),
    recovery,
    sharedCause,
    unavailable: read === null ? ["checks"] : [],
  };
}

/** Only these kinds are opened by checks. */
const isOfChecks = ({ target, kind }: Incident) => target.type === "monitor" && (kind === "down" || kind === "partial");

/** Returns the evidence that metrics stores, none if it is unavailable. */
export async function readEvidence(
  metrics: Pick<Client<typeof metricsContract>, "incidentEvidence">,
  incident: Incident,
  language: Language,
  { call }: Pick<AskOptions, "call">,
): Promise<IncidentEvidence> {
  if (!isOfChecks(incident)) return {};
  const { target, openedAt, closedAt } = incident;
  const closedAtMs = closedAt === undefined ? undefined : Date.parse(closedAt);
  const span = { monitorId: target.id, openedAtMs: Date.parse(openedAt), closedAtMs };
  // Optional: a metrics service of the previous version does not have it.
  const stored = await metrics.incidentEvidence(span, { call, timeoutMs: checksMs }).catch(() => null);
  return {
    evidence: inWords(stored?.evidence, language),
    latestEvidence: inWords(stored?.latestEvidence, language),
    paths: stored?.paths,
  };
}

function inWords(evidence: Evidence | undefined, language: Language): Evidence | undefined {
  if (evidence?.certificate?.problem === undefined) return evidence;
  const problem = explain(evidence.certificate.problem, language);
  return { ...evidence, certificate: { ...evidence.certificate, problem } };
}

/** Within a millisecond, causes come before consequences. */
export const inOrder = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  entries.toSorted((one, other) => one.at.localeCompare(other.at) || rankOf(one) - rankOf(other));

const rankOf = ({ type }: TimelineEntry) => timelineTypes.indexOf(type);

function ownEntries(incident: Incident, language: Language): TimelineEntry[] {
  const { openedAt, closedAt, acknowledgedAt, acknowledgedBy: by = "", note } = incident;
  const cause = explain(incident.cause, language);
  const entries: TimelineEntry[] = [
    { at: openedAt, type: "opened", text: incidentText("Incident opened: {cause}", language, { cause }) },
  ];
  if (acknowledgedAt !== undefined) {
    entries.push(actionEntry({ at: acknowledgedAt, type: "acknowledged", by, note }, language));
  }
  if (closedAt !== undefined) {
    const text = incidentText(closings[incident.resolution ?? "recovered"], language);
    entries.push({ at: closedAt, type: "closed", text });
  }
  return entries;
}

function opinionEntry({ at, location, status, error = "" }: Opinion, language: Language): TimelineEntry {
  const reason = explain(error, language);
  const message = status === "up" ? "Second opinion ({location}): up" : "Second opinion ({location}): {reason}";
  const text = incidentText(message, language, { location, reason });
  return { at, type: "opinion", text, status, ...(error === "" ? {} : { detail: reason }) };
}

function actionEntry({ at, type, by: name, note = "", until }: IncidentAction, language: Language): TimelineEntry {
  const message = type === "acknowledged" && note !== "" ? "Acknowledged by {name}: {note}" : actionWords[type];
  return { at, type, text: incidentText(message, language, { name, note }), heldUntil: until };
}

const actionWords: Readonly<Record<IncidentAction["type"], IncidentMessage>> = {
  acknowledged: "Acknowledged by {name}",
  unacknowledged: "Acknowledgement removed by {name}",
  snoozed: "Snoozed by {name}",
  snooze_ended: "Snooze ended by {name}",
};

const closings: Readonly<Record<IncidentResolution, IncidentMessage>> = {
  recovered: "Recovered; the incident is closed",
  paused: "Incident closed: the monitor was paused",
  replaced: "Incident closed: the monitor went down",
  deleted: "Incident closed: the target was deleted",
  edited: "Incident closed: the target's settings changed",
};

const resultsLookedAt = 50;
const maxPerLocation = 10;
const betweenAttemptsMs = 2000;

/**
 * For each location, the consecutive failures up to the opening. A result is the last attempt of its slot; of earlier
 * attempts only the number is known.
 * @param results raw results, newest first
 */
function failureEntries(results: readonly CheckResult[], openedAtMs: number, language: Language): TimelineEntry[] {
  const before = results.filter(({ startedAt }) => Date.parse(startedAt) <= openedAtMs);
  return [...Map.groupBy(before, ({ location }) => location).values()].flatMap((own) => {
    const end = own.findIndex(({ status }) => status !== "down");
    const failing = own.slice(0, end === -1 ? own.length : end).slice(0, maxPerLocation);
    return failing.toReversed().flatMap((result, at) => entriesOf(result, at === 0, language));
  });
}

function entriesOf(result: CheckResult, isFirst: boolean, language: Language): TimelineEntry[] {
  const { location, attempt, slot, startedAt: at, responseTime, error } = result;
  const reason = explain(error?.message ?? "", language);
  const rechecks = isFirst ? attempt - 1 : attempt;
  if (isFirst && rechecks === 0) {
    const text = incidentText("Check failed ({location}): {reason}", language, { location, reason });
    return [{ at, type: "failure", text, detail: reason }];
  }
  const message =
    rechecks === 1
      ? "Retry failed ({location}): {reason}"
      : "{count} retries failed ({location}), most recently: {reason}";
  const text = incidentText(message, language, { location, reason, count: rechecks });
  const recheck: TimelineEntry = { at, type: "recheck", text, detail: reason };
  if (!isFirst) return [recheck];
  // The start of the first attempt is not stored. This assumes that each attempt took as long as the last one, with two
  // seconds between them.
  const firstMs = Date.parse(at) - rechecks * (betweenAttemptsMs + responseTime);
  const first = incidentText("Check failed ({location})", language, { location });
  const firstAt = new Date(Math.max(Date.parse(slot), firstMs)).toISOString();
  return [{ at: firstAt, type: "failure", text: first }, recheck];
}
