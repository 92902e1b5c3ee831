import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import type { EscalationProgress } from "@sonde/proto/http/on-call/escalation";
import { deciding, type DecisionContext } from "../alerts/deciding.ts";
import { loadIncidentsView } from "../alerts/facts.ts";
import { recordChanges } from "../alerts/incident-changes.ts";
import { lockIncidents, type NotifiedIncident } from "../alerts/incident.ts";
import { notificationsOf } from "../incidents/story.ts";
import { takeSteps } from "./escalate.ts";
import { dropDeferredStart, type Escalation, findEscalations } from "./escalations.ts";
import { loadOnCall } from "./load.ts";
import { presentProgress } from "./progress.ts";

/**
 * Takes the next step of an incident's policy now, whatever defers alerts, and also if the policy was stopped. After the
 * last step it begins with the first one.
 * @throws AppError `not_found`; `impossible` if the incident is closed or has no policy
 */
export async function escalateNow(
  deps: DecisionContext & { committed(): void },
  { id, ...request }: { id: string; by: string; note?: string | undefined },
): Promise<{ escalation: EscalationProgress }> {
  const onCall = await loadOnCall(deps);
  await deciding(deps.db, async (trx) => {
    const incident = (await lockIncidents(trx, [id])).get(id);
    if (incident === undefined) throw new AppError("not_found", "Incident does not exist");
    if (incident.closedAtMs !== undefined) throw new AppError("impossible", "The incident is closed");
    const [known] = await findEscalations(trx, [id]);
    const policyId = known?.policyId ?? (await loadIncidentsView(trx, deps, [incident])).policyOf(incident).policyId;
    const policy = onCall.policies.get(policyId ?? 0);
    if (policy === undefined) throw new AppError("impossible", "No escalation policy applies to this incident");
    await recordChanges(trx, "escalated", Math.round(deps.clock.now()), [{ incident }]);
    await dropDeferredStart(trx, [id]);
    await takeSteps(
      trx,
      deps,
      onCall,
      [nextOf(known ?? newOf(incident, policy.id, policy.repeat), policy.steps.length)],
      request,
    );
    await record(trx, "notifier", {
      action: "escalate",
      target: { type: "incident", id, name: incident.target.name },
      after: request.note === undefined ? {} : { note: request.note },
    });
  });
  deps.due();
  deps.committed();
  const { progress, decisions } = await notificationsOf(deps.db, id);
  return { escalation: presentProgress(progress!, decisions) };
}

export const newOf = ({ id: incidentId }: NotifiedIncident, policyId: number, repeatsLeft: number): Escalation => ({
  incidentId,
  policyId,
  repeat: 0,
  step: 0,
  repeatsLeft,
  dueAtMs: null,
  stoppedAtMs: null,
});

export const nextOf = (escalation: Escalation, steps: number): Escalation =>
  escalation.step < steps ? escalation : { ...escalation, repeat: escalation.repeat + 1, step: 0 };
