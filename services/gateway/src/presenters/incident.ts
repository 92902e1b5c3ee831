import type { Incident as IncidentMessage } from "@sonde/proto/gen/events/v1/events";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { instantOf, instantOrNone } from "./instant.ts";
import { readIncidentKind, readResolution } from "./unions.ts";

export function presentIncident(incident: IncidentMessage): Incident {
  return {
    id: incident.id,
    target: {
      type: incident.targetType === "agent" ? "agent" : "monitor",
      id: incident.targetId,
      name: incident.targetName,
    },
    kind: readIncidentKind(incident.kind),
    metric: incident.metric,
    cause: incident.cause,
    flaps: incident.flaps || undefined,
    openedAt: instantOf(incident.openedAtMs),
    closedAt: instantOrNone(incident.closedAtMs),
    resolution: incident.resolution === undefined ? undefined : readResolution(incident.resolution),
    acknowledgedAt: instantOrNone(incident.acknowledgedAtMs),
    acknowledgedBy: incident.acknowledgedBy,
    note: incident.note,
  };
}
