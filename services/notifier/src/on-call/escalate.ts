import type { Database } from "@sonde/kit/postgres/database";
import { type ChannelDecision, deferralOf, quietUntil } from "../alerts/decide.ts";
import { deciding, type DecisionContext } from "../alerts/deciding.ts";
import { recordVerdicts } from "../alerts/decisions.ts";
import { type IncidentsView, loadIncidentsView } from "../alerts/facts.ts";
import { type AlertFacts, type AlertMoment, lockIncidents, type NotifiedIncident } from "../alerts/incident.ts";
import { accountChannels } from "./account-mail.ts";
import {
  dropDeferredStart,
  dropMarkers,
  dueEscalations,
  type Escalation,
  findEscalations,
  isStopped,
  minuteMs,
  momentOf,
  saveEscalations,
  stop,
} from "./escalations.ts";
import { loadOnCall } from "./load.ts";
import { type Policy, readPolicies } from "./policies-store.ts";
import { contactsOf, decideStep, recipientsAt, urgencyOf } from "./recipients.ts";

const atOnce = 1_000;

/** Takes the steps that are due. Returns how many. */
export async function escalate(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueEscalations(deps.db, nowMs, 1)).length === 0) return 0;
  const onCall = await loadOnCall(deps);
  const count = await deciding(deps.db, async (trx) => {
    const due = await dueEscalations(trx, nowMs, atOnce);
    await takeSteps(trx, deps, onCall, due);
    return due.length;
  });
  if (count > 0) deps.due();
  return count;
}

/** What a user said who asked for the next step. */
export type Request = { by: string; note?: string | undefined };

/**
 * Takes the next step of incidents: notifies who is on call now, and plans the following step.
 * @param request a user wants it now, whatever defers alerts
 */
export async function takeSteps(
  trx: Database,
  deps: DecisionContext,
  onCall: Awaited<ReturnType<typeof loadOnCall>>,
  due: readonly Escalation[],
  request?: Request,
): Promise<void> {
  const incidents = await lockIncidents(
    trx,
    due.map(({ incidentId }) => incidentId),
  );
  const taken = due.flatMap((escalation) => {
    const [incident, policy] = [incidents.get(escalation.incidentId), onCall.policies.get(escalation.policyId)];
    const step = policy?.steps[escalation.step];
    return incident === undefined ? [] : [{ escalation, incident, policy, step }];
  });
  const at = deps.clock.now();
  const found = new Map(
    taken.map(({ escalation, step }) => [keyOf(escalation), recipientsAt(step?.notify ?? [], onCall, at)]),
  );
  const users = [...new Set([...found.values()].flatMap((recipients) => recipients.users))];
  const mails = await accountChannels(
    trx,
    users.flatMap((id) => onCall.users.get(id) ?? []),
    at,
  );
  const steps = new Map(
    taken.map(({ escalation, policy }): [string, AlertFacts["step"]] => [
      escalation.incidentId,
      { policy: policy?.name ?? "", number: escalation.step + 1, ...request },
    ]),
  );
  const view = await loadIncidentsView(trx, deps, [...incidents.values()], steps);
  const results = taken.map(({ escalation, incident, policy, step }) => {
    const { policy: settings, ...input } = view.inputFor(incident);
    const isWanted = request !== undefined || (settings.isEnabled && settings.wants(incident.kind, false));
    if (policy === undefined || step === undefined || !isWanted || incident.closedAtMs !== undefined) {
      return { incident, next: { ...escalation, dueAtMs: null }, moment: momentOf(escalation), decisions: [] };
    }
    const deferral = request === undefined ? deferralOf({ policy: settings, ...input }) : null;
    const moment = momentOf(escalation);
    if (deferral !== null) {
      const decisions: ChannelDecision[] = [{ channelId: null, ...deferral }];
      return { incident, next: { ...escalation, dueAtMs: null }, moment, decisions };
    }
    const recipients = found.get(keyOf(escalation))!;
    const urgency = urgencyOf(policy, incident);
    const contacts = [
      ...recipients.channelIds.map((channelId) => ({ channelId, afterMs: 0 })),
      ...recipients.users.flatMap((id) => contactsOf(id, urgency, onCall, mails.get(id))),
    ];
    const notified = decideStep(contacts, { urgency, quietHours: settings.quietHours, ...view });
    const isReached = notified.some(({ outcome }) => outcome !== "skipped");
    const nobody: ChannelDecision = { channelId: null, outcome: "skipped", reason: "nobody_on_call" };
    const decisions = isReached && recipients.gaps.length === 0 ? notified : [...notified, nobody];
    const next = following(escalation, policy, { nowMs: view.nowMs, isReached });
    return { incident, policy, next, moment, decisions };
  });
  await dropMarkers(
    trx,
    due.map(({ incidentId }) => incidentId),
  );
  await saveEscalations(
    trx,
    results.map(({ next }) => next),
  );
  await recordVerdicts(
    trx,
    view,
    results.filter(({ decisions }) => decisions.length > 0),
  );
  // A later step may need fewer acknowledgements than there are.
  const stopped = results.filter(({ incident, policy, next }) => {
    return incident.acknowledgedAtMs !== undefined && policy !== undefined && isStopped(next, policy, incident);
  });
  await stop(
    trx,
    stopped.map(({ next }) => next),
    view.nowMs,
  );
}

/** Incidents at the same step have the same recipients. */
const keyOf = ({ policyId, step }: Escalation) => `${policyId}.${step}`;

/** Returns the state after a step. One that reached nobody is followed at once. */
function following(
  escalation: Escalation,
  { steps }: Policy,
  { nowMs, isReached }: { nowMs: number; isReached: boolean },
): Escalation {
  const dueAfter = (index: number) => Math.floor(nowMs + (isReached ? (steps[index]?.after ?? 0) * minuteMs : 0));
  const step = escalation.step + 1;
  if (step < steps.length) return { ...escalation, step, dueAtMs: dueAfter(step) };
  const { repeat, repeatsLeft } = escalation;
  if (repeatsLeft === 0) return { ...escalation, step, dueAtMs: null };
  return { ...escalation, repeat: repeat + 1, step: 0, repeatsLeft: repeatsLeft - 1, dueAtMs: dueAfter(0) };
}

type WaitingRow = { incidentId: string; moment: AlertMoment; channelId: number | null };

const dueWaiting = async (db: Database, nowMs: number, limit: number): Promise<WaitingRow[]> =>
  db("decisions")
    .where({ outcome: "held" })
    .where("until_ms", "<=", nowMs)
    .whereLike("moment", "step:%")
    .orderBy("id")
    .limit(limit)
    .select<WaitingRow[]>("incident_id", "moment", "channel_id");

/** Decides deferred steps and waiting contacts that are due. Returns how many. */
export async function decideWaiting(deps: DecisionContext): Promise<number> {
  const nowMs = deps.clock.now();
  if ((await dueWaiting(deps.db, nowMs, 1)).length === 0) return 0;
  const count = await deciding(deps.db, async (trx) => {
    const due = await dueWaiting(trx, nowMs, atOnce);
    const ids = [...new Set(due.map(({ incidentId }) => incidentId))];
    const incidents = await lockIncidents(trx, ids);
    const view = await loadIncidentsView(trx, deps, [...incidents.values()]);
    const escalations = new Map((await findEscalations(trx, ids)).map((row) => [row.incidentId, row]));
    const policies = await readPolicies(
      trx,
      [...escalations.values()].map(({ policyId }) => policyId),
    );
    const released: Escalation[] = [];
    const verdicts = due.flatMap(({ incidentId, moment, channelId }) => {
      const [incident, escalation] = [incidents.get(incidentId), escalations.get(incidentId)];
      if (incident === undefined || escalation === undefined) return [];
      const policy = policies.get(escalation.policyId);
      const decision = decideAgain(channelId, incident, policy, view);
      if (decision !== null) return [{ incident, moment, decisions: [decision] }];
      // The delay of the first step begins when the policy does.
      const afterMs = escalation.step === 0 ? (policy?.steps[0]?.after ?? 0) * minuteMs : 0;
      released.push({ ...escalation, dueAtMs: Math.floor(view.nowMs + afterMs) });
      return [];
    });
    await saveEscalations(trx, released);
    await dropDeferredStart(
      trx,
      released.map(({ incidentId }) => incidentId),
    );
    await recordVerdicts(trx, view, verdicts);
    return due.length;
  });
  if (count > 0) deps.due();
  return count;
}

/** @returns `null` if nothing defers the step any more */
function decideAgain(
  channelId: number | null,
  incident: NotifiedIncident,
  policy: Policy | undefined,
  view: IncidentsView,
): ChannelDecision | null {
  const input = view.inputFor(incident);
  const deferral = deferralOf(input);
  if (deferral !== null) return { channelId, ...deferral };
  if (channelId === null) return null;
  const channel = view.channels.get(channelId);
  if (channel?.isEnabled !== true) return { channelId, outcome: "skipped", reason: "channel_disabled" };
  const { quietHours } = input.policy;
  const isLow = policy !== undefined && urgencyOf(policy, incident) === "low";
  const untilMs = isLow && channel.reader === "people" && quietHours ? quietUntil(quietHours, view.nowMs) : null;
  if (untilMs !== null) return { channelId, outcome: "held", reason: "quiet_hours", untilMs };
  return { channelId, outcome: "sent", reason: "sent" };
}
