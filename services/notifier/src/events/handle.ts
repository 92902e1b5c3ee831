import { isDatabaseUnavailable } from "@sonde/kit/postgres/database";
import type { Event } from "@sonde/proto/gen/events/v1/events";
import { applyChanges, type IncidentChange } from "../alerts/changes.ts";
import { changeNames } from "../alerts/incident-changes.ts";
import type { DecisionContext } from "../alerts/deciding.ts";
import { removeSettings } from "../settings/settings.ts";
import type { SettingKey } from "../settings/store.ts";
import { counter, histogram } from "@sonde/kit/telemetry/metrics";
import { fromEvent } from "../alerts/incident.ts";

export type EventContext = DecisionContext & { committed(): void };

/**
 * Handles events in order. An event that cannot be parsed or applied is counted, logged and skipped, so it does
 * not block later alerts. Returns how many had an effect.
 * @throws if the database is unavailable; the same events may be passed again
 */
export async function handleEvents(deps: EventContext, events: readonly Event[]): Promise<number> {
  const changes: IncidentChange[] = [];
  const deleted: SettingKey[] = [];
  for (const event of events) {
    try {
      const fact = readEvent(event);
      if (fact === null) eventsTotal.inc({ outcome: "other" });
      else if ("change" in fact) changes.push(fact.change);
      else deleted.push(fact.deleted);
    } catch (error) {
      skipEvent(deps, event.id, error);
    }
  }
  const fresh = changes.length === 0 ? 0 : await applyEach(deps, changes);
  if (deleted.length > 0) await removeSettings(deps, deleted);
  return fresh;
}

async function applyEach(deps: EventContext, changes: readonly IncidentChange[]): Promise<number> {
  try {
    const fresh = await applyChanges(deps, changes);
    eventsTotal.inc({ outcome: "new" }, fresh);
    eventsTotal.inc({ outcome: "known" }, changes.length - fresh);
    if (fresh > 0) decidedSeconds.observe(Math.max(0, deps.clock.now() - (changes[0]?.atMs ?? 0)) / 1_000);
    return fresh;
  } catch (error) {
    if (isDatabaseUnavailable(error)) throw error;
    const [only, another] = changes;
    if (only === undefined || another === undefined) {
      skipEvent(deps, `${only?.incident.id}:${only?.name}`, error);
      return 0;
    }
    let fresh = 0;
    for (const change of changes) fresh += await applyEach(deps, [change]);
    return fresh;
  }
}

export function skipEvent({ log }: Pick<EventContext, "log">, event: string, error: unknown): void {
  eventsTotal.inc({ outcome: "malformed" });
  log.error({ err: error, event: event.slice(0, 200) }, "invalid event skipped");
}

/** Returns `null` for irrelevant events. @throws TypeError if it cannot be parsed */
function readEvent({ atMs, fact }: Event): { change: IncidentChange } | { deleted: SettingKey } | null {
  if (fact.case === "incident") {
    const { change, incident, facts, quiet } = fact.value;
    const name = changeNames.find((known) => known === change);
    if (name === undefined) return null;
    if (incident === undefined) throw new TypeError("change without incident");
    return { change: { name, incident: fromEvent(incident, facts), hasFacts: facts !== undefined, quiet, atMs } };
  }
  if ((fact.case !== "monitor" && fact.case !== "agent") || fact.value.change !== "deleted") return null;
  const targetId = fact.case === "monitor" ? fact.value.monitorId : fact.value.agentId;
  return { deleted: { scope: fact.case, targetId } };
}

const eventsTotal = counter(
  "sonde_notifier_events_total",
  "Processed incident events: new, already known, irrelevant or unreadable",
  ["outcome"],
);
const decidedSeconds = histogram(
  "sonde_notifier_decided_seconds",
  "Time from an incident change to the stored decision which channels to notify",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 60, 600],
);
