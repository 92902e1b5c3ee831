import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { Call, Handlers } from "@sonde/kit/bus/rpc";
import type { Database } from "@sonde/kit/postgres/database";
import { listEventPage } from "@sonde/kit/postgres/outbox";
import type { Clock } from "@sonde/kit/time/clock";
import { acknowledgeIncident, unacknowledgeIncident } from "./acknowledge.ts";
import { listIncidentMarks, listIncidents } from "./list.ts";
import { endSnooze, snoozeIncident } from "./snooze.ts";
import { getIncident, type IncidentTargets } from "./store.ts";
import { listDependencies } from "./targets.ts";

const maxEvents = 1_000;

export type IncidentContext = {
  db: Database;
  targets: IncidentTargets;
  clock: Clock;
  /** Called after each write to the outbox. */
  nudge(): void;
};

export function incidentEndpoints({ db, targets, clock, nudge }: IncidentContext): Handlers<typeof incidentsContract> {
  const changed = async <Answer>(change: () => Promise<Answer>): Promise<Answer> => {
    const answer = await change();
    nudge();
    return answer;
  };
  /** The caller, or the anonymous user of a link. */
  const author = ({ by }: { by?: string | undefined }, { actor }: Pick<Call, "actor">) => ({
    by: by ?? actor?.username ?? "",
    isByLink: by !== undefined,
  });
  return {
    listIncidents: (request) => listIncidents(db, targets, request, clock.now()),
    listIncidentMarks: (request) => listIncidentMarks(db, targets, request),
    getIncident: (request) => getIncident(db, targets, request, clock.now()),
    acknowledgeIncident: (request, call) =>
      changed(() => acknowledgeIncident(db, targets, { ...request, ...author(request, call) }, clock.now())),
    unacknowledgeIncident: (request, call) =>
      changed(() => unacknowledgeIncident(db, targets, { ...request, ...author(request, call) }, clock.now())),
    snoozeIncident: (request, call) =>
      changed(() => snoozeIncident(db, targets, { ...request, ...author(request, call) }, clock.now())),
    endSnooze: (request, call) =>
      changed(() => endSnooze(db, targets, { ...request, ...author(request, call) }, clock.now())),
    listDependencies: (request) => listDependencies(db, targets, request),
    listEvents: async ({ sinceMs, limit, afterId }) => {
      const maxListed = Math.min(maxEvents, limit);
      const { events, more } = await listEventPage(db, Math.ceil(sinceMs), maxListed, afterId);
      return { events: events.map((bytes) => bytes.toString("base64")), more };
    },
  };
}
