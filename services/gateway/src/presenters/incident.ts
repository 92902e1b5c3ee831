import type { Incident as IncidentMessage } from "@sonde/proto/gen/events/v1/events";
import type { Incident, IncidentKind, IncidentResolution } from "@sonde/proto/http/incidents";
import { instantOf } from "./instant.ts";

export function presentIncident(incident: IncidentMessage): Incident {
  return {
    id: incident.id,
    target: {
      type: incident.targetType === "agent" ? "agent" : "monitor",
      id: incident.targetId,
      name: incident.targetName,
    },
    kind: incident.kind as IncidentKind,
    ...(incident.metric === undefined ? {} : { metric: incident.metric }),
    cause: incident.cause,
    ...(incident.flaps === 0 ? {} : { flaps: incident.flaps }),
    openedAt: instantOf(incident.openedAtMs),
    ...(incident.closedAtMs === undefined ? {} : { closedAt: instantOf(incident.closedAtMs) }),
    ...(incident.resolution === undefined ? {} : { resolution: incident.resolution as IncidentResolution }),
  };
}
