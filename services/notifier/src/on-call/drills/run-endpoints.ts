import type { Handlers } from "@sonde/kit/bus/rpc";
import { AppError } from "@sonde/kit/errors";
import type { Incident } from "@sonde/proto/http/incidents/incidents";
import type { incidentsContract } from "@sonde/proto/rpc/incidents";
import type { DecisionContext } from "../../alerts/deciding.ts";
import { lockIncidents, type NotifiedIncident } from "../../alerts/incident.ts";
import { instantOf } from "../named.ts";
import { acknowledgeRun } from "./drills.ts";

type DrillContext = DecisionContext & { committed(): void };

/** What links in messages can do to the run of a drill. It is in no list, has no events, and cannot be snoozed. */
export const runEndpoints = (ctx: DrillContext): Handlers<typeof incidentsContract> => ({
  getIncident: async ({ id }) => ({ incident: present(await findRun(ctx, id)), actions: [], opinions: [] }),
  acknowledgeIncident: async ({ id, by = "" }) => ({ incident: present(await acknowledgeRun(ctx, { id, by })) }),
  unacknowledgeIncident: refuse,
  snoozeIncident: refuse,
  endSnooze: refuse,
  listIncidents: async () => ({ incidents: [], total: 0, last: "" }),
  listIncidentMarks: async () => ({ marks: [], total: 0 }),
  listDependencies: async () => ({ dependencies: [], more: false }),
  listEvents: async () => ({ events: [], more: false }),
});

const refuse = async (): Promise<never> => {
  throw new AppError("impossible", "A drill can only be acknowledged");
};

async function findRun({ db }: DrillContext, id: string): Promise<NotifiedIncident> {
  const run = (await db.transaction((trx) => lockIncidents(trx, [id]))).get(id);
  if (run?.drill === undefined) throw new AppError("not_found", "Incident does not exist");
  return run;
}

function present({ id, target, kind, openedAtMs, ...run }: NotifiedIncident): Incident {
  return {
    id,
    target,
    kind,
    cause: "This is a fire drill: nothing is down",
    openedAt: instantOf(openedAtMs),
    closedAt: instantOf(run.closedAtMs),
    resolution: run.resolution,
    acknowledgedAt: instantOf(run.acknowledgedAtMs),
    acknowledgedBy: run.acknowledgedBy.at(-1),
  };
}
