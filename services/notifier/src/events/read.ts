import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { Event } from "@sonde/proto/gen/events/v1/events";
import { type IncidentChange, changeNames } from "../alerts/change.ts";
import { fromEvent } from "../alerts/incident.ts";

/** What an event means here. */
export type Fact = { case: "change"; change: IncidentChange } | { case: "deleted"; target: TargetRef };

/**
 * Reads an event; null if it is irrelevant here.
 * @throws TypeError if it cannot be parsed
 */
export function readEvent({ atMs, fact }: Event): Fact | null {
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
