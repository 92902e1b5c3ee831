import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { isDatabaseAway } from "@sonde/kit/postgres/database";
import type { Event } from "@sonde/proto/gen/events/v1/events";
import { applyChanges } from "../alerts/changes/apply.ts";
import { type IncidentChange, changeNames } from "../alerts/changes/change.ts";
import type { DecisionContext } from "../alerts/deciding.ts";
import { removeOverrides } from "../settings/remove.ts";
import { decidedSeconds, eventsTotal } from "../telemetry.ts";
import { fromEvent } from "../alerts/incident.ts";

/** What handling events needs; `committed` wakes the outbox relay. */
export type EventContext = DecisionContext & { committed(): void };

/**
 * Handles events in order. One that cannot be parsed, or that fails by itself, is counted, logged and skipped, so that
 * it does not block later alerts. Returns how many changed anything.
 * @throws if the database is unavailable: the same events may be passed again
 */
export async function handleEvents(deps: EventContext, events: readonly Event[]): Promise<number> {
  const changes: IncidentChange[] = [];
  const deleted: TargetRef[] = [];
  for (const event of events) {
    try {
      const fact = readEvent(event);
      if (fact?.case === "change") changes.push(fact.change);
      else if (fact?.case === "deleted") deleted.push(fact.target);
      else eventsTotal.inc({ outcome: "other" });
    } catch (error) {
      passOver(deps, event.id, error);
    }
  }
  const fresh = changes.length === 0 ? 0 : await applyEach(deps, changes);
  if (deleted.length > 0) await removeOverrides(deps, deleted);
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
    if (isDatabaseAway(error)) throw error;
    const [only, another] = changes;
    if (only === undefined || another === undefined) {
      passOver(deps, `${only?.incident.id}:${only?.name}`, error);
      return 0;
    }
    let fresh = 0;
    for (const change of changes) fresh += await applyEach(deps, [change]);
    return fresh;
  }
}

export function passOver({ log }: Pick<EventContext, "log">, event: string, error: unknown): void {
  eventsTotal.inc({ outcome: "malformed" });
  log.error({ err: error, event: event.slice(0, 200) }, "an event could not be taken in and is passed over");
}

/** What an event means here. */
type Fact = { case: "change"; change: IncidentChange } | { case: "deleted"; target: TargetRef };

/**
 * Reads an event; null if it is irrelevant here.
 * @throws TypeError if it cannot be parsed
 */
function readEvent({ atMs, fact }: Event): Fact | null {
  if (fact.case === "incident") {
    const { change, incident, facts, quiet } = fact.value;
    const name = changeNames.find((known) => known === change);
    if (name === undefined) return null;
    if (incident === undefined) throw new TypeError("a change without its incident");
    const read = fromEvent(incident, facts);
    return { case: "change", change: { name, incident: read, hasFacts: facts !== undefined, quiet, atMs } };
  }
  if (fact.case === "monitor" && fact.value.change === "deleted") {
    return { case: "deleted", target: { type: "monitor", id: fact.value.monitorId } };
  }
  if (fact.case === "agent" && fact.value.change === "deleted") {
    return { case: "deleted", target: { type: "agent", id: fact.value.agentId } };
  }
  return null;
}
