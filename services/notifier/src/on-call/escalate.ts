import type { Database } from "@sonde/kit/postgres/database";
import { type ChannelDecision, deferralOf, quietUntil } from "../alerts/decide.ts";
import { deciding, type DecisionContext } from "../alerts/deciding.ts";
import { recordVerdicts } from "../alerts/decisions.ts";
import { type IncidentsView, loadIncidentsView } from "../alerts/facts.ts";
import { type AlertFacts, type AlertMoment, lockIncidents, type NotifiedIncident } from "../alerts/incident.ts";
import { accountChannels } from "./contacts/account-mail.ts";
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
import { type Policy, readPolicies } from "./policies/store.ts";
import { contactsOf, decideStep, type OnCall, recipientsAt, urgencyOf } from "./recipients.ts";

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

/** Who asked for the next step, and why. */
export type EscalationRequest = { by: string; note?: string | undefined };

/**
 * Takes the next step of incidents: notifies who is on call now, and plans the following step.
 * @param request a user wants it now, whatever defers alerts
 */
export async function takeSteps(
  trx: Database,
  deps: DecisionContext,
  onCall: Awaited<ReturnType<typeof loadOnCall>>,
  due: readonly Escalation[],
  request?: EscalationRequest,
): Promise<void> {
  const incidents = await lockIncidents(
    trx,
    due.map(({ incidentId }) => incidentId),
  );
  const taken = due.flatMap((escalation) => {
    const [incident, policy] = [incidents.get(escalation.incidentId), onCall.policies.get(escalation.policyId)];
    return incident === undefined ? [] : [{ escalation, incident, policy }];
  });
  const at = deps.clock.now();
  const found = new Map(
    taken.map(({ escalation, policy }) => [
      keyOf(escalation),
      recipientsAt(policy?.steps[escalation.step]?.notify ?? [], onCall, at),
    ]),
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
  const results = taken.map((one) =>
    decideTaken(one, { ...found.get(keyOf(one.escalation))!, mails, onCall, view, isAsked: request !== undefined }),
  );
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

type Taken = { escalation: Escalation; incident: NotifiedIncident; policy: Policy | undefined };
type TakenInput = ReturnType<typeof recipientsAt> & {
  /** The channels that mail the accounts' addresses, by user. */
  mails: ReadonlyMap<number, number>;
  onCall: Pick<OnCall, "contacts" | "devices">;
  view: IncidentsView;
  /** A user wants it now. */
  isAsked: boolean;
};

/** Decides whom the next step of a policy notifies, and returns the state after it. Without a query. */
export function decideTaken(
  { escalation, incident, policy }: Taken,
  { users, channelIds, gaps, mails, onCall, view, isAsked }: TakenInput,
): Taken & { next: Escalation; moment: AlertMoment; decisions: ChannelDecision[] } {
  const { policy: settings, ...input } = view.inputFor(incident);
  const isWanted = isAsked || (settings.isEnabled && settings.wants(incident.kind, false));
  const moment = momentOf(escalation);
  const ended = { escalation, incident, next: { ...escalation, dueAtMs: null }, moment };
  if (policy?.steps[escalation.step] === undefined || !isWanted || incident.closedAtMs !== undefined) {
    return { ...ended, policy: undefined, decisions: [] };
  }
  const deferral = isAsked ? null : deferralOf({ policy: settings, ...input });
  if (deferral !== null) return { ...ended, policy: undefined, decisions: [{ channelId: null, ...deferral }] };
  const urgency = urgencyOf(policy, incident);
  const contacts = [
    ...channelIds.map((channelId) => ({ channelId, afterMs: 0 })),
    ...users.flatMap((id) => contactsOf(id, urgency, onCall, mails.get(id))),
  ];
  const notified = decideStep(contacts, { urgency, quietHours: settings.quietHours, ...view });
  const isReached = notified.some(({ outcome }) => outcome !== "skipped");
  const nobody: ChannelDecision = { channelId: null, outcome: "skipped", reason: "nobody_on_call" };
  const decisions = isReached && gaps.length === 0 ? notified : [...notified, nobody];
  const next = following(escalation, policy, { nowMs: view.nowMs, isReached });
  return { escalation, incident, policy, next, moment, decisions };
}

/** Incidents at the same step have the same recipients. */
const keyOf = ({ policyId, step }: Escalation) => `${policyId}.${step}`;

/**
 * Returns the state after a step. One that reached nobody is followed at once, but a repetition always waits: otherwise a
 * policy whose first step has no delay would use up its repetitions in a second.
 */
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
  const afterMinutes = steps[0]?.after || Math.max(1, ...steps.map(({ after }) => after));
  const dueAtMs = Math.floor(nowMs + afterMinutes * minuteMs);
  return { ...escalation, repeat: repeat + 1, step: 0, repeatsLeft: repeatsLeft - 1, dueAtMs };
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
      if (incident === undefined) return [];
      if (escalation === undefined) {
        const decision: ChannelDecision = { channelId, outcome: "skipped", reason: "ended_before" };
        return [{ incident, moment, decisions: [decision] }];
      }
      const policy = policies.get(escalation.policyId);
      const decision = decideWaitingAgain(channelId, incident, policy, view);
      if (decision !== null) return [{ incident, moment, decisions: [decision] }];
      released.push(releasedAt(escalation, policy, view.nowMs));
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

/** The delay of the first step begins when the policy does. */
export const releasedAt = (escalation: Escalation, policy: Policy | undefined, nowMs: number): Escalation => {
  const afterMs = escalation.step === 0 ? (policy?.steps[0]?.after ?? 0) * minuteMs : 0;
  return { ...escalation, dueAtMs: Math.floor(nowMs + afterMs) };
};

/** @returns `null` if nothing defers the step any more */
export function decideWaitingAgain(
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
