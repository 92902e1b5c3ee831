import { create } from "@bufbuild/protobuf";
import type { Database } from "@sonde/kit/postgres/database";
import { TargetFactsSchema } from "@sonde/proto/gen/events/v1/events";
import { applyWithin } from "../../alerts/changes.ts";
import { decideNews } from "../../alerts/decide.ts";
import type { DecisionContext } from "../../alerts/deciding.ts";
import { recordVerdicts } from "../../alerts/decisions.ts";
import { loadIncidentsView } from "../../alerts/facts.ts";
import type { ChangeName } from "../../alerts/incident-changes.ts";
import { insertIncidents, lockIncidents, type NotifiedIncident } from "../../alerts/incident.ts";
import { loadPolicies } from "../../settings/store.ts";
import { takeSteps } from "../escalate.ts";
import { startEscalations } from "../escalations.ts";
import type { loadOnCall } from "../load.ts";
import { readRecipient } from "../recipients.ts";

type OnCall = Awaited<ReturnType<typeof loadOnCall>>;

/** No policy has this id. A drill of a person has the only step of a policy that is stored nowhere. */
const ownPolicyId = 0;

/**
 * Opens a run of a drill, in a transaction of `deciding`. It is an incident that no producer knows, decided and sent
 * like any other. Wake the sender (`deps.due`) after the commit.
 */
export async function openRun(
  trx: Database,
  deps: DecisionContext,
  onCall: OnCall,
  drill: NonNullable<NotifiedIncident["drill"]>,
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { number: number }[] }>("select nextval('drill_runs')::integer as number");
  const settings = (await loadPolicies(trx, deps.log, []))({ type: "monitor", id: 0 });
  const incident: NotifiedIncident = {
    id: `d${rows[0]?.number}`,
    drill,
    // No monitor has this id.
    target: { type: "monitor", id: 0, name: settings.language === "zh-CN" ? "演练" : "Drill" },
    kind: "down",
    cause: "",
    openedAtMs: Math.round(deps.clock.now()),
    flaps: 0,
    facts: create(TargetFactsSchema),
    acknowledgedBy: [],
    revision: 0,
    reminders: 0,
  };
  await insertIncidents(trx, [incident]);
  const { kind } = readRecipient(drill.target);
  if (kind === "user") return notifyPerson(trx, deps, onCall, incident);
  const view = await loadIncidentsView(trx, deps, [incident]);
  const input = view.inputFor(incident);
  const decisions = kind === "channel" ? decideNews(input) : [];
  await recordVerdicts(trx, view, [{ incident, moment: "opened", decisions }]);
  await startEscalations(trx, view, [{ incident, input }]);
}

async function notifyPerson(trx: Database, deps: DecisionContext, onCall: OnCall, { id, drill }: NotifiedIncident) {
  const steps = [{ after: 0, notify: [drill?.target ?? ""], needs: 1 }];
  const policies = new Map([[ownPolicyId, { id: ownPolicyId, name: "", steps, repeat: 0 }]]);
  const start = { policyId: ownPolicyId, repeat: 0, step: 0, repeatsLeft: 0, dueAtMs: null, stoppedAtMs: null };
  await takeSteps(trx, deps, { ...onCall, policies }, [{ incidentId: id, ...start }]);
}

/** Closes open runs, in a transaction of `deciding`. Those who were notified hear the end. */
export async function closeRuns(trx: Database, deps: DecisionContext, ids: readonly string[]): Promise<void> {
  const closedAtMs = Math.round(deps.clock.now());
  const runs = [...(await lockIncidents(trx, ids)).values()];
  await applyWithin(
    trx,
    deps,
    runs.map((incident) => changeOf("closed", { ...incident, closedAtMs, resolution: "recovered" }, closedAtMs)),
  );
}

export const changeOf = (name: ChangeName, incident: NotifiedIncident, atMs: number) => {
  return { name, incident, atMs, hasFacts: false, quiet: false };
};
