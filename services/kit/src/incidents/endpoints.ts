import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { Handlers } from "../bus/rpc.ts";
import { type Database, orUnavailable } from "../postgres/database.ts";
import { listEventPage } from "../postgres/outbox.ts";
import type { Clock } from "../time/clock.ts";
import { acknowledgeIncident } from "./acknowledge.ts";
import { listIncidentMarks, listIncidents } from "./list.ts";
import { getIncident, type IncidentTargets } from "./store.ts";
import { listDependencies } from "./targets.ts";

const mostEvents = 1_000;

export type IncidentContext = {
  db: Database;
  targets: IncidentTargets;
  clock: Clock;
  /** The outbox has something. */
  nudge(): void;
};

/** What every producer of incidents answers. */
export function incidentEndpoints({ db, targets, clock, nudge }: IncidentContext): Handlers<typeof incidentsContract> {
  return {
    listIncidents: (request) => orUnavailable(() => listIncidents(db, targets, request)),
    listIncidentMarks: (request) => orUnavailable(() => listIncidentMarks(db, targets, request)),
    getIncident: (request) => orUnavailable(() => getIncident(db, targets, request)),
    acknowledgeIncident: async (request, { actor }) => {
      const isByLink = request.by !== undefined;
      const given = { ...request, by: request.by ?? actor?.username ?? "", isByLink };
      const answer = await orUnavailable(() => acknowledgeIncident(db, targets, given, clock.now()));
      nudge();
      return answer;
    },
    listDependencies: (request) => orUnavailable(() => listDependencies(db, targets, request)),
    listEvents: async ({ sinceMs, limit, afterId }) => {
      const asked = Math.min(mostEvents, limit);
      const { events, more } = await orUnavailable(() => listEventPage(db, Math.ceil(sinceMs), asked, afterId));
      return { events: events.map((bytes) => bytes.toString("base64")), more };
    },
  };
}
