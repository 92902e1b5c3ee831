import type { Evidence } from "@sonde/proto/http/incidents/evidence";
import {
  type Incident,
  type IncidentProducer,
  type IncidentResolution,
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

/** What an incident's timeline is read from. */
export type TimelineSources = {
  incidents: Pick<Client<typeof incidentsContract>, "getIncident">;
  metrics: Pick<Client<typeof metricsContract>, "listChecks" | "incidentEvidence">;
};

/** One after the other they take less than a call of the notifier. */
const incidentMs = 1_500;
const checksMs = 2_000;

/** Who opened an incident: its id begins with the letter of its target. */
export const producerOfIncident = (id: string): IncidentProducer => (id.startsWith("a") ? "agents" : "monitors");

/** The evidence of an incident, in the requested language where it has words. */
type IncidentEvidence = { evidence?: Evidence | undefined; latestEvidence?: Evidence | undefined };

/**
 * An incident, what happened to it, and the failed checks that led to it with what they found, in the requested language.
 * While metrics is unavailable the checks are missing, and named.
 * @throws AppError `not_found`; `unavailable` while the service that opened it is
 */
export async function readTimeline(
  { incidents, metrics }: TimelineSources,
  { id, language }: { id: string; language: Language },
  { call }: Pick<AskOptions, "call">,
): Promise<{ incident: Incident; timeline: TimelineEntry[]; unavailable: "checks"[] } & IncidentEvidence> {
  const asking = { call, scope: producerOfIncident(id), timeoutMs: incidentMs };
  const { incident, actions, opinions } = await incidents.getIncident({ id }, asking);
  const { target, kind, openedAt, closedAt } = incident;
  const openedAtMs = Date.parse(openedAt);
  const range = { monitorId: target.id, beforeMs: openedAtMs + 1, limit: resultsLookedAt };
  // Only monitors have checks, and only incidents of these kinds were opened by them.
  const isOfChecks = target.type === "monitor" && (kind === "down" || kind === "partial");
  const span = {
    monitorId: target.id,
    openedAtMs,
    closedAtMs: closedAt === undefined ? undefined : Date.parse(closedAt),
  };
  const options = { call, timeoutMs: checksMs };
  const [read, kept] = isOfChecks
    ? await Promise.all([
        orNull(metrics.listChecks(range, options)),
        // It is an addition, and a metrics service of the version before has none.
        metrics.incidentEvidence(span, options).catch(() => null),
      ])
    : [{ checks: [] }, null];
  const failures = failureEntries(read?.checks ?? [], openedAtMs, language);
  return {
    incident,
    timeline: inOrder([
      ...failures,
      ...opinions.map((opinion) => opinionEntry(opinion, language)),
      ...ownEntries(incident, language),
      ...actions.map((action) => actionEntry(action, language)),
    ]),
    evidence: inWords(kept?.evidence, language),
    latestEvidence: inWords(kept?.latestEvidence, language),
    unavailable: read === null ? ["checks"] : [],
  };
}

function inWords(evidence: Evidence | undefined, language: Language): Evidence | undefined {
  if (evidence?.certificate?.problem === undefined) return evidence;
  const problem = explain(evidence.certificate.problem, language);
  return { ...evidence, certificate: { ...evidence.certificate, problem } };
}

/** By time; of what happened in the same millisecond, causes come before what followed from them. */
export const inOrder = (entries: readonly TimelineEntry[]): TimelineEntry[] =>
  entries.toSorted((one, other) => one.at.localeCompare(other.at) || rankOf(one) - rankOf(other));

const rankOf = ({ type }: TimelineEntry) => timelineTypes.indexOf(type);

/** The entries from the incident itself. */
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

/** What another location saw of the failure. */
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
  deleted: "Incident closed: the target was deleted",
  edited: "Incident closed: the target's settings changed",
};

/** The number of results before the opening that are read. */
const resultsLookedAt = 50;
const maxPerLocation = 10;
const betweenAttemptsMs = 2000;

/**
 * The failures that led to an incident: of each location those that ran into the opening without a good check between.
 * A result is that of a slot's last attempt: of the attempts before it only their number is known.
 * @param results raw ones, newest first
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
      ? "Re-check failed ({location}): {reason}"
      : "{count} re-checks failed ({location}), the last one: {reason}";
  const text = incidentText(message, language, { location, reason, count: rechecks });
  const recheck: TimelineEntry = { at, type: "recheck", text, detail: reason };
  if (!isFirst) return [recheck];
  // The start of the first attempt is not stored: each is assumed as long as the last one, with two seconds after it.
  const firstMs = Date.parse(at) - rechecks * (betweenAttemptsMs + responseTime);
  const first = incidentText("Check failed ({location})", language, { location });
  const firstAt = new Date(Math.max(Date.parse(slot), firstMs)).toISOString();
  return [{ at: firstAt, type: "failure", text: first }, recheck];
}
