import type { CheckResult } from "@sonde/proto/http/monitors/checks";
import { incidentText } from "@sonde/proto/http/incidents/messages";
import type { TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import type { Language } from "@sonde/proto/http/messages";
import { explain } from "@sonde/proto/http/reasons/reasons";
import { instantOf } from "../presenters/instant.ts";

/** The number of results before the opening that are read. */
export const resultsLookedAt = 50;
const mostOfALocation = 10;
const betweenAttemptsMs = 2000;

/**
 * The failures that led to an incident: of each location those that ran into the opening without a good check between.
 * A result is that of a slot's last attempt: of the attempts before it only their number is known.
 * @param results raw ones, newest first
 */
export function failureEntries(
  results: readonly CheckResult[],
  openedAtMs: number,
  language: Language,
): TimelineEntry[] {
  const before = results.filter(({ startedAt }) => Date.parse(startedAt) <= openedAtMs);
  return [...new Set(before.map(({ location }) => location))].flatMap((location) => {
    const own = before.filter((result) => result.location === location);
    const end = own.findIndex(({ status }) => status !== "down");
    const failing = own.slice(0, end === -1 ? own.length : end).slice(0, mostOfALocation);
    return failing.toReversed().flatMap((result, at) => entriesOf(result, at === 0, language));
  });
}

function entriesOf(result: CheckResult, isFirst: boolean, language: Language): TimelineEntry[] {
  const { location, attempt, slot, startedAt: at, responseTime, error } = result;
  const reason = explain(error?.message ?? "", language);
  const rechecks = isFirst ? attempt - 1 : attempt;
  const recheckText =
    rechecks === 1
      ? incidentText("The re-check from {location} failed, too: {reason}", language, { location, reason })
      : incidentText("{count} re-checks from {location} failed, too; the last one: {reason}", language, {
          count: rechecks,
          location,
          reason,
        });
  const recheck: TimelineEntry = { at, type: "recheck", text: recheckText, detail: reason };
  if (!isFirst) return [recheck];
  if (rechecks > 0) {
    const text = incidentText("The check from {location} failed", language, { location });
    // The start of the first attempt is not stored: each is assumed as long as the last one, with two seconds after it.
    const firstMs = Date.parse(at) - rechecks * (betweenAttemptsMs + responseTime);
    return [{ at: instantOf(Math.max(Date.parse(slot), firstMs)), type: "failure", text }, recheck];
  }
  const text = incidentText("The check from {location} failed: {reason}", language, { location, reason });
  return [{ at, type: "failure", text, detail: reason }];
}
