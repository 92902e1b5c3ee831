import type { Database } from "@sonde/kit/postgres/database";
import type { EscalationProgress } from "@sonde/proto/http/on-call/escalation";
import { currentStep, type Escalation, findEscalations, momentOf } from "./escalations.ts";
import { instantOf } from "./named.ts";
import { type Policy, readPolicies } from "./policies/store.ts";

/** A decision about a step. */
type StepDecision = {
  moment: string;
  channelId: number | null;
  channelName: string | null;
  outcome: "sent" | "held" | "skipped";
  reason: string;
  untilMs: number | null;
  atMs: number;
};

export type Progress = { escalation: Escalation; policy: Policy; acknowledgedBy: readonly string[] };

/** Returns the state of an incident's policy; `null` without one, or if it was deleted. */
export async function readProgress(db: Database, incidentId: string): Promise<Progress | null> {
  const [escalation] = await findEscalations(db, [incidentId]);
  if (escalation === undefined) return null;
  const [policies, incident] = await Promise.all([
    readPolicies(db, [escalation.policyId]),
    db("incidents").where({ id: incidentId }).first<{ acknowledgedBy: string[] } | undefined>("acknowledged_by"),
  ]);
  const policy = policies.get(escalation.policyId);
  return policy === undefined ? null : { escalation, policy, acknowledgedBy: incident?.acknowledgedBy ?? [] };
}

export function presentProgress(
  { escalation, policy, acknowledgedBy }: Progress,
  decisions: readonly StepDecision[],
): EscalationProgress {
  const byMoment = Map.groupBy(decisions, ({ moment }) => moment);
  return {
    policy: { id: policy.id, name: policy.name },
    repeat: escalation.repeat,
    steps: policy.steps.map(({ needs }, step) => {
      const own = byMoment.get(momentOf({ ...escalation, step })) ?? [];
      return { step: step + 1, needs, ...stateOf(escalation, step, own) };
    }),
    acknowledgedBy: [...acknowledgedBy],
    needs: currentStep(escalation, policy)?.needs ?? 1,
  };
}

type Step = EscalationProgress["steps"][number];

function stateOf(
  { step: next, dueAtMs, stoppedAtMs }: Escalation,
  step: number,
  decisions: readonly StepDecision[],
): Omit<Step, "step" | "needs"> {
  const namesOf = (outcome: StepDecision["outcome"]) =>
    decisions.filter((one) => one.outcome === outcome && one.channelId !== null);
  const notified = namesOf("sent").map(nameOf);
  const waiting = namesOf("held").map((one) => ({ name: nameOf(one), until: instantOf(one.untilMs) }));
  const state = (name: Step["state"], atMs: number | null = null) => ({
    state: name,
    at: instantOf(atMs),
    notified,
    waiting,
  });
  if (step < next) {
    const atMs = decisions.reduce((first, one) => Math.min(first, one.atMs), Number.POSITIVE_INFINITY);
    const isReached = decisions.some(({ channelId }) => channelId !== null);
    return state(isReached ? "done" : "nobody", Number.isFinite(atMs) ? atMs : null);
  }
  if (stoppedAtMs !== null) return state("stopped");
  if (step > next) return state("later");
  const held = decisions.find(({ channelId, outcome }) => channelId === null && outcome === "held");
  if (held !== undefined) return state("deferred", held.untilMs);
  return dueAtMs === null ? state("later") : state("next", dueAtMs);
}

const nameOf = ({ channelName, channelId }: StepDecision) => channelName || `#${channelId}`;
