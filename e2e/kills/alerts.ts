import type { Event } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { Acknowledged } from "./facts.ts";
import type { Untouched } from "./monitors.ts";

/** After so many changes of state, in less than an hour, one good check is not enough: two in a row make a monitor up. */
const flappingChanges = 10;

/**
 * The states that a monitor without retries must have gone through by what the bus acknowledged: results in the order
 * of the bus, each slot once, none older than one that was seen, none that came too late to count.
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
    // The first state is no change.
    if (states.length > flappingChanges && goodInARow === 1) continue;
    if (result.status !== states.at(-1)) states.push(result.status);
  }
  return states;
}

/** What was sent about untouched monitors beside what was expected, in words where the two differ. */
export function compareAlerts(
  untouched: readonly Untouched[],
  results: readonly Acknowledged[],
  events: readonly Event[],
): { told: number; faults: string[] } {
  const byMonitor = Map.groupBy(results, ({ monitorId }) => monitorId);
  const toldStates = new Map<number, string[]>();
  // One that is sent again has the same id, so receivers ignore it.
  const distinct = new Map(events.map((event) => [event.id, event]));
  for (const { fact } of distinct.values()) {
    if (fact.case !== "monitor" || fact.value.change !== "state") continue;
    const { monitorId, status } = fact.value;
    toldStates.set(monitorId, [...(toldStates.get(monitorId) ?? []), status]);
  }
  const faults: string[] = [];
  let told = 0;
  for (const { id, intervalMs } of untouched) {
    const wanted = statesBy(byMonitor.get(id) ?? [], intervalMs).join(" ");
    const found = toldStates.get(id) ?? [];
    told += found.length;
    if (found.join(" ") !== wanted) faults.push(`monitor ${id} was told as ${found.join(" ")}, not ${wanted}`);
  }
  return { told, faults };
}

/** Incidents of one target that overlap, or whose end was not sent. */
export function examineIncidents(incidents: readonly Incident[], events: readonly Event[]): string[] {
  const faults: string[] = [];
  const kinds = Map.groupBy(incidents, ({ target, kind, metric }) => `${target.type} ${target.id} ${kind} ${metric}`);
  for (const [what, list] of kinds) {
    const inOrder = list.toSorted((a, b) => a.openedAt.localeCompare(b.openedAt));
    inOrder.forEach(({ closedAt }, index) => {
      const next = inOrder[index + 1];
      if (next !== undefined && (closedAt === undefined || closedAt > next.openedAt)) {
        faults.push(`${what} has an incident that is open when the next one opens, at ${next.openedAt}`);
      }
    });
  }
  const told = new Set<string>();
  for (const { fact } of events) {
    if (fact.case === "incident") told.add(`${fact.value.change} ${fact.value.incident?.id}`);
  }
  for (const { id, closedAt } of incidents) {
    if (!told.has(`opened ${id}`)) faults.push(`the opening of incident ${id} was not told`);
    if (closedAt !== undefined && !told.has(`closed ${id}`)) faults.push(`the end of incident ${id} was not told`);
  }
  return faults;
}
