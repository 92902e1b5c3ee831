import type { IncidentsService } from "@sonde/proto/gen/incidents/v1/incidents";
import type { Handlers } from "../bus/rpc.ts";
import { type Database, orUnavailable } from "../postgres/database.ts";
import { listEvents } from "../postgres/outbox.ts";
import { listIncidentMarks, listIncidents } from "./list.ts";
import type { Targets } from "./store.ts";

const mostEvents = 1_000;

/** What every producer of incidents answers. */
export function incidentEndpoints(db: Database, targets: Targets): Handlers<typeof IncidentsService> {
  return {
    listIncidents: (request) => orUnavailable(() => listIncidents(db, targets, request)),
    listIncidentMarks: (request) => orUnavailable(() => listIncidentMarks(db, targets, request)),
    listEvents: async ({ sinceMs, limit, afterId }) => {
      const asked = Math.min(mostEvents, limit || mostEvents);
      const events = await orUnavailable(() => listEvents(db, Math.ceil(sinceMs), asked + 1, afterId));
      return { events: events.slice(0, asked), more: events.length > asked };
    },
  };
}
