import type { Event } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Acknowledged } from "./facts.ts";
import type { Untouched } from "./monitors.ts";

/** After this many state changes within an hour, a monitor needs two good checks in a row to be up. */
const flappingChanges = 10;

/**
 * Returns the states that a monitor without retries must have had according to the results on the bus. Results count in
 * the order of the bus and once per slot. A result older than an earlier one, or too late, does not count.
 */
function statesBy(results: readonly Acknowledged[], intervalMs: number): string[] {
  const timeoutMs = Math.min(10_000, intervalMs * 0.8);
  const states: string[] = [];
  let [slotMs, startedAtMs, goodInARow] = [0, 0, 0];
  for (const result of results) {
    if (result.storedAtMs > result.slotMs + intervalMs + timeoutMs) continue;
    if (result.slotMs <= slotMs || result.startedAtMs <= startedAtMs) continue;
    ({ slotMs, startedAtMs } = result);
    goodInARow = result.status === "up" ? goodInARow + 1 : 0;
    // The first state is not a change.
    if (states.length > flappingChanges && goodInARow === 1) continue;
    if (result.status !== states.at(-1)) states.push(result.status);
  }
  return states;
}

/** Compares the published state changes of untouched monitors with the expected ones, and describes the differences. */
export function compareAlerts(
  untouched: readonly Untouched[],
  results: readonly Acknowledged[],
  events: readonly Event[],
): { published: number; problems: string[] } {
  const byMonitor = Map.groupBy(results, ({ monitorId }) => monitorId);
  const publishedStates = new Map<number, string[]>();
  // A repeated event has the same id, so receivers ignore it.
  const distinct = new Map(events.map((event) => [event.id, event]));
  for (const { fact } of distinct.values()) {
    if (fact.case !== "monitor" || fact.value.change !== "state") continue;
    const { monitorId, status } = fact.value;
    publishedStates.set(monitorId, [...(publishedStates.get(monitorId) ?? []), status]);
  }
  const problems: string[] = [];
  let published = 0;
  for (const { id, intervalMs } of untouched) {
    const expected = statesBy(byMonitor.get(id) ?? [], intervalMs).join(" ");
    const actual = publishedStates.get(id) ?? [];
    published += actual.length;
    if (actual.join(" ") !== expected)
      problems.push(`monitor ${id} was published as ${actual.join(" ")}, not ${expected}`);
  }
  return { published, problems };
}

/** Describes incidents of one target that overlap, or whose opening or end was not published. */
export function examineIncidents(incidents: readonly Incident[], events: readonly Event[]): string[] {
  const problems: string[] = [];
  const kinds = Map.groupBy(incidents, ({ target, kind, metric }) => `${target.type} ${target.id} ${kind} ${metric}`);
  for (const [what, list] of kinds) {
    const inOrder = list.toSorted((a, b) => a.openedAt.localeCompare(b.openedAt));
    inOrder.forEach(({ closedAt }, index) => {
      const next = inOrder[index + 1];
      if (next !== undefined && (closedAt === undefined || closedAt > next.openedAt)) {
        problems.push(`${what} has an incident that is open when the next one opens, at ${next.openedAt}`);
      }
    });
  }
  const published = new Set<string>();
  for (const { fact } of events) {
    if (fact.case === "incident") published.add(`${fact.value.change} ${fact.value.incident?.id}`);
  }
  for (const { id, closedAt } of incidents) {
    if (!published.has(`opened ${id}`)) problems.push(`the opening of incident ${id} was not published`);
    if (closedAt !== undefined && !published.has(`closed ${id}`))
      problems.push(`the end of incident ${id} was not published`);
  }
  return problems;
}
