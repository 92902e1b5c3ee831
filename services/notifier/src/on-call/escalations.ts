import type { Database } from "@sonde/kit/postgres/database";
import { deferralOf, type DecisionInput } from "../alerts/decide.ts";
import type { IncidentsView } from "../alerts/facts.ts";
import { idsOf, type NotifiedIncident } from "../alerts/incident.ts";
import { recordVerdicts } from "../alerts/decisions.ts";
import { type Policy, readPolicies } from "./policies/store.ts";

export const minuteMs = 60_000;

/** An incident's progress through its policy. */
export type Escalation = {
  incidentId: string;
  policyId: number;
  repeat: number;
  /** Index of the next step; the number of steps after the last one. */
  step: number;
  repeatsLeft: number;
  /** `null` while the start is deferred, and after the last step. */
  dueAtMs: number | null;
  stoppedAtMs: number | null;
};

export async function dueEscalations(db: Database, nowMs: number, limit: number): Promise<Escalation[]> {
  return db<Escalation>("escalations")
    .where("due_at_ms", "<=", nowMs)
    .whereNull("stopped_at_ms")
    .orderBy("due_at_ms")
    .limit(limit)
    .select();
}

export const findEscalations = (db: Database, incidentIds: readonly string[]): Promise<Escalation[]> =>
  db<Escalation>("escalations")
    .whereRaw("incident_id = any(?)", [[...incidentIds]])
    .select();

export async function saveEscalations(trx: Database, escalations: readonly Escalation[]): Promise<void> {
  if (escalations.length === 0) return;
  await trx("escalations").insert(escalations).onConflict("incident_id").merge();
}

type Starting = { incident: NotifiedIncident; input: DecisionInput & { parentIncidentId: string | null } };

/** Starts, or starts again, the policies of the incidents' settings. What defers alerts also defers the start. */
export async function startEscalations(
  trx: Database,
  view: IncidentsView,
  starting: readonly Starting[],
): Promise<void> {
  const wanted = starting.filter(startsPolicy);
  if (wanted.length === 0) return;
  const policies = await readPolicies(
    trx,
    wanted.map(({ input }) => input.policy.policyId ?? 0),
  );
  const before = new Map(
    (await findEscalations(trx, idsOf(wanted.map(({ incident }) => incident)))).map((row) => [row.incidentId, row]),
  );
  const begun = wanted.flatMap(({ incident, input }) => {
    const policy = policies.get(input.policy.policyId ?? 0);
    if (policy === undefined) return [];
    return [{ incident, ...beginning({ incident, input }, policy, before.get(incident.id), view.nowMs) }];
  });
  await saveEscalations(
    trx,
    begun.map(({ escalation }) => escalation),
  );
  await recordVerdicts(
    trx,
    view,
    begun.filter(({ decisions }) => decisions.length > 0),
  );
}

export const startsPolicy = ({ incident, input: { policy } }: Starting): boolean =>
  policy.policyId !== undefined && policy.isEnabled && policy.wants(incident.kind, false);

/** @param before the progress of an earlier start, whose count of repeats continues */
export function beginning(
  { incident: { id: incidentId }, input }: Starting,
  policy: Policy,
  before: Escalation | undefined,
  nowMs: number,
) {
  const repeat = (before?.repeat ?? -1) + 1;
  const deferral = deferralOf(input);
  const dueAtMs = deferral === null ? Math.round(nowMs + (policy.steps[0]?.after ?? 0) * minuteMs) : null;
  const escalation: Escalation = {
    incidentId,
    policyId: policy.id,
    repeat,
    step: 0,
    repeatsLeft: policy.repeat,
    dueAtMs,
    stoppedAtMs: null,
  };
  const decisions = deferral === null ? [] : [{ channelId: null, ...deferral }];
  return { escalation, moment: momentOf(escalation), decisions };
}

export const momentOf = ({ repeat, step }: Pick<Escalation, "repeat" | "step">) => `step:${repeat}.${step}` as const;

/** Returns the step that was taken last, or the first one if none was. */
export function currentStep({ step, repeat }: Pick<Escalation, "step" | "repeat">, { steps }: Policy) {
  const last = step > 0 ? step - 1 : repeat > 0 ? steps.length - 1 : 0;
  return steps[Math.min(last, steps.length - 1)];
}

export const isStopped = (escalation: Escalation, policy: Policy, { acknowledgedBy }: NotifiedIncident): boolean =>
  acknowledgedBy.length >= (currentStep(escalation, policy)?.needs ?? 1);

/** Stops policies that enough users acknowledged, and contacts that are not due yet. Deferred starts are dropped. */
export async function stopEscalations(
  trx: Database,
  incidents: readonly NotifiedIncident[],
  nowMs: number,
): Promise<void> {
  if (incidents.length === 0) return;
  const running = (await findEscalations(trx, idsOf(incidents))).filter(({ stoppedAtMs }) => stoppedAtMs === null);
  if (running.length === 0) return;
  const policies = await readPolicies(
    trx,
    running.map(({ policyId }) => policyId),
  );
  const byId = new Map(incidents.map((incident) => [incident.id, incident]));
  const stopped = running.filter((escalation) => {
    const [policy, incident] = [policies.get(escalation.policyId), byId.get(escalation.incidentId)];
    return policy === undefined || incident === undefined || isStopped(escalation, policy, incident);
  });
  await stop(trx, stopped, nowMs);
}

/** Records `acknowledged` for the next step and for waiting contacts, whose due times are kept for an undo. */
export async function stop(trx: Database, stopped: readonly Escalation[], nowMs: number): Promise<void> {
  if (stopped.length === 0) return;
  const ids = stopped.map(({ incidentId }) => incidentId);
  await trx.raw(
    `with deferred as (
       delete from decisions
       where outcome = 'held' and channel_id is null and moment like 'step:%' and incident_id = any(:ids)
       returning incident_id
     ), waiting as (
       update decisions
       set outcome = 'skipped', reason = 'acknowledged', parent_incident_id = null, at_ms = :nowMs
       where outcome = 'held' and channel_id is not null and moment like 'step:%' and incident_id = any(:ids)
     )
     update escalations
     set stopped_at_ms = :nowMs,
       due_at_ms = case when incident_id in (select incident_id from deferred) then :nowMs else due_at_ms end
     where incident_id = any(:ids)`,
    { ids, nowMs: Math.round(nowMs) },
  );
  await trx.raw(
    `insert into decisions (incident_id, moment, outcome, reason, at_ms)
     select incident_id, 'step:' || repeat || '.' || step, 'skipped', 'acknowledged', ?::bigint
     from escalations where incident_id = any(?) and due_at_ms is not null on conflict do nothing`,
    [Math.round(nowMs), ids],
  );
}

/** Continues policies after an acknowledgement was removed: what became due in the meantime is due now. */
export async function resumeEscalations(trx: Database, incidentIds: readonly string[], nowMs: number): Promise<void> {
  if (incidentIds.length === 0) return;
  const ids = [...incidentIds];
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    "update escalations set stopped_at_ms = null where stopped_at_ms is not null and incident_id = any(?)",
    [ids],
  );
  if (rowCount === 0) return;
  await dropMarkers(trx, ids);
  await trx.raw(
    `update decisions set outcome = 'held', reason = 'waiting', until_ms = coalesce(until_ms, ?::bigint)
     where outcome = 'skipped' and reason = 'acknowledged' and moment like 'step:%' and incident_id = any(?)`,
    [Math.round(nowMs), ids],
  );
}

/** Deletes what was recorded about steps to come, which are now taken. */
export async function dropMarkers(trx: Database, incidentIds: readonly string[]): Promise<void> {
  await trx.raw(
    `delete from decisions
     where channel_id is null and reason = 'acknowledged' and moment like 'step:%' and incident_id = any(?)`,
    [[...incidentIds]],
  );
}

/** Deletes what deferred the next step, which is now due. */
export async function dropDeferredStart(trx: Database, incidentIds: readonly string[]): Promise<void> {
  await trx.raw(
    `delete from decisions
     where outcome = 'held' and channel_id is null and moment like 'step:%' and incident_id = any(?)`,
    [[...incidentIds]],
  );
}

export async function finishEscalations(trx: Database, incidentIds: readonly string[]): Promise<void> {
  await trx("escalations")
    .whereRaw("incident_id = any(?)", [[...incidentIds]])
    .update({ dueAtMs: null });
}
