import type { Log } from "@sonde/kit/service/log";
import { deferredUntil } from "../alerts/changes.ts";
import { type ChannelDecision, decideClosing, decideNews, decideReminder, decideSteady } from "../alerts/decide.ts";
import type { DecisionContext } from "../alerts/deciding.ts";
import { releaseAtMs } from "../alerts/decisions.ts";
import { type IncidentsView, viewOf } from "../alerts/facts.ts";
import type { ChangeName, RecordedChange } from "../alerts/incident-changes.ts";
import { type AlertMoment, type NotifiedIncident, readMoment } from "../alerts/incident.ts";
import { decideAgain, reminderDueMs } from "../alerts/ticks.ts";
import { newOf, nextOf } from "../on-call/escalate-now.ts";
import { decideTaken, decideWaitingAgain, releasedAt } from "../on-call/escalate.ts";
import { beginning, type Escalation, isStopped, startsPolicy } from "../on-call/escalations.ts";
import { type OnCall, recipientsAt } from "../on-call/recipients.ts";
import { type policiesIn, reminderAfterMs } from "../settings/store.ts";
import { createOpenGraph } from "./open-graph.ts";
import { Rows } from "./rows.ts";

/** `incident`: as it opened. */
export type PastChange = {
  incident: NotifiedIncident;
  name: ChangeName | "escalated";
  atMs: number;
  value: RecordedChange;
};

export type Sending = { incident: NotifiedIncident; moment: AlertMoment; channelId: number; atMs: number };

export type ReplayInput = {
  /** In order. */
  changes: readonly PastChange[];
  toMs: number;
  channels: IncidentsView["channels"];
  policies: ReturnType<typeof policiesIn>;
  maintenance: DecisionContext["maintenance"];
  onCall: OnCall;
  /** The channels that mail the accounts' addresses, by user. */
  mails: ReadonlyMap<number, number>;
  log: Log;
  hasFailed(sending: Sending): boolean;
  onSent(sending: Sending): void;
};

/** Decides again what happened, in memory, with the functions that decide alerts. */
export function replay(input: ReplayInput): void {
  const { changes, toMs, maintenance, onCall, mails } = input;
  const known = new Map<string, Rows>();
  const graph = createOpenGraph();
  /** In descending order. */
  const queue: { atMs: number; id: string }[] = [];
  /** By incident, those whose alerts wait for its end. */
  const waiting = new Map<string, Set<string>>();

  for (let at = 0; at < changes.length && changes[at]!.atMs < toMs;) {
    const first = changes[at]!;
    tickBefore(first.atMs);
    // Those that opened in one transaction see each other.
    let end = at + 1;
    while (first.name === "opened" && changes[end]?.name === "opened" && changes[end]?.atMs === first.atMs) end += 1;
    const run = changes.slice(at, end);
    if (first.name === "opened") run.forEach(insert);
    run.forEach(apply);
    at = end;
  }
  tickBefore(toMs);

  function tickBefore(beforeMs: number) {
    while ((queue.at(-1)?.atMs ?? Infinity) < beforeMs) {
      const due = queue.pop()!;
      const rows = known.get(due.id);
      if (rows === undefined || rows.dueMs() > due.atMs) continue;
      tick(rows, due.atMs);
      plan(rows, due.atMs);
    }
  }

  function plan(rows: Rows, nowMs: number) {
    const atMs = Math.max(rows.dueMs(), nowMs);
    if (atMs === Infinity) return;
    let [low, high] = [0, queue.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (queue[middle]!.atMs > atMs) low = middle + 1;
      else high = middle;
    }
    queue.splice(low, 0, { atMs, id: rows.incident.id });
  }

  function view(rows: Rows, nowMs: number): IncidentsView {
    const { incident } = rows;
    const isFailed = (moment: AlertMoment, channelId: number) =>
      input.hasFailed({ incident, moment, channelId, atMs: nowMs });
    const notified = new Map([[incident.id, rows.notified(isFailed)]]);
    return viewOf({ ...input, ownPolicies: onCall.policies, graph: graph.around(incident), notified, nowMs });
  }

  function record(rows: Rows, now: IncidentsView, moment: AlertMoment, decisions: readonly ChannelDecision[]) {
    const { incident } = rows;
    for (const channelId of rows.save(moment, decisions, now.nowMs)) {
      input.onSent({ incident, moment, channelId, atMs: now.nowMs });
    }
    for (const decision of decisions) {
      if (decision.outcome !== "held" || decision.parentIncidentId === undefined) continue;
      const { parentIncidentId: parent } = decision;
      waiting.set(parent, (waiting.get(parent) ?? new Set()).add(incident.id));
    }
    if (readMoment(moment).name === "step" || !decisions.some(({ outcome }) => outcome === "sent")) return;
    const afterMs = reminderAfterMs(now.policyOf(incident), incident.kind);
    rows.planReminder(afterMs === null ? null : now.nowMs + afterMs);
  }

  function insert({ incident, value: { facts } }: PastChange) {
    const { closedAtMs: _end, resolution: _how, acknowledgedAtMs: _when, snoozedUntilMs: _until, ...opened } = incident;
    const rows = new Rows({ ...opened, facts, acknowledgedBy: [], reminders: 0 });
    known.set(incident.id, rows);
    graph.put(rows.incident);
  }

  function apply({ incident: { id }, name, atMs: nowMs, value }: PastChange) {
    const rows = known.get(id);
    if (rows === undefined) return;
    const before = rows.incident;
    const { facts, acknowledgedAtMs, acknowledgedBy, snoozedUntilMs, moment, quiet = false } = value;
    rows.incident = { ...before, facts, acknowledgedAtMs, acknowledgedBy, snoozedUntilMs };
    if (acknowledgedAtMs !== undefined) rows.reminderDueMs = null;
    if (name === "flapping" || name === "steady") graph.put(rows.incident);
    const now = view(rows, nowMs);
    if (name === "opened") open(rows, now);
    else if (name === "closed") close(rows, now, quiet);
    else if (name === "escalated") escalateNow(rows, now);
    else if (name === "flapping" || name === "steady") flap(rows, now, name, moment ?? `${name}:${nowMs}`);
    else follow(rows, before, now);
    if (name !== "closed") plan(rows, nowMs);
  }

  function open(rows: Rows, now: IncidentsView) {
    const { incident } = rows;
    const opening = { ...now.inputFor(incident), maintenanceUntilMs: deferredUntil(maintenance, now, incident) };
    record(rows, now, "opened", decideNews(opening));
    startPolicy(rows, now, opening);
  }

  function startPolicy(rows: Rows, now: IncidentsView, starting: ReturnType<IncidentsView["inputFor"]>) {
    const { incident } = rows;
    const policy = onCall.policies.get(starting.policy.policyId ?? 0);
    if (policy === undefined || !startsPolicy({ incident, input: starting })) return;
    const start = { incident, input: starting };
    const { escalation, moment, decisions } = beginning(start, policy, rows.escalation, now.nowMs);
    rows.escalation = escalation;
    record(rows, now, moment, decisions);
  }

  function close(rows: Rows, now: IncidentsView, quiet: boolean) {
    const { id } = rows.incident;
    const decisions = decideClosing({ ...now.inputFor(rows.incident), quiet });
    rows.incident = { ...rows.incident, closedAtMs: now.nowMs };
    record(rows, now, "closed", decisions);
    // Nothing follows the end of an incident.
    known.delete(id);
    graph.remove(id);
    for (const other of waiting.get(id) ?? []) release(known.get(other), id, now.nowMs);
    waiting.delete(id);
  }

  function release(rows: Rows | undefined, parentId: string, nowMs: number) {
    if (rows === undefined) return;
    for (const decision of rows.held()) {
      if (decision.parentIncidentId !== parentId) continue;
      decision.untilMs = releaseAtMs(nowMs, rows.incident.facts.intervalMs);
    }
    plan(rows, nowMs);
  }

  function flap(rows: Rows, now: IncidentsView, name: "flapping" | "steady", moment: AlertMoment) {
    const { incident } = rows;
    const { nowMs } = now;
    rows.endDeferred(nowMs, name === "steady" ? "flapping" : "steady");
    record(rows, now, moment, (name === "steady" ? decideSteady : decideNews)(now.inputFor(incident)));
    if (name === "steady" || incident.acknowledgedAtMs !== undefined) return;
    rows.endDeferred(nowMs, "step");
    startPolicy(rows, now, now.inputFor(incident));
  }

  function follow(rows: Rows, before: NotifiedIncident, now: IncidentsView) {
    const { nowMs } = now;
    const { acknowledgedAtMs, snoozedUntilMs = 0, closedAtMs } = rows.incident;
    if (acknowledgedAtMs !== undefined) {
      rows.drop(({ outcome, moment }) => outcome === "held" && readMoment(moment).name === "reminder");
    }
    for (const decision of rows.held()) {
      if (decision.reason === "snoozed") decision.untilMs = Math.max(snoozedUntilMs, nowMs);
    }
    if (acknowledgedAtMs !== undefined) {
      const { escalation } = rows;
      const policy = onCall.policies.get(escalation?.policyId ?? 0);
      const isRunning = escalation !== undefined && escalation.stoppedAtMs === null;
      if (isRunning && (policy === undefined || isStopped(escalation, policy, rows.incident))) rows.stop(nowMs);
    } else if (before.acknowledgedAtMs !== undefined) {
      const [sentMs, afterMs] = [rows.lastSentMs(), reminderAfterMs(now.policyOf(rows.incident), rows.incident.kind)];
      rows.planReminder(sentMs === undefined || afterMs === null ? null : sentMs + afterMs);
      if (closedAtMs === undefined) rows.resume(nowMs);
    }
  }

  function escalateNow(rows: Rows, now: IncidentsView) {
    const { incident, escalation } = rows;
    const policy = onCall.policies.get(escalation?.policyId ?? now.policyOf(incident).policyId ?? 0);
    if (policy === undefined) return;
    rows.dropDeferredStart();
    takeStep(rows, now, nextOf(escalation ?? newOf(incident, policy.id, policy.repeat), policy.steps.length), true);
  }

  function takeStep(rows: Rows, now: IncidentsView, escalation: Escalation, isAsked: boolean) {
    const { incident } = rows;
    const policy = onCall.policies.get(escalation.policyId);
    const recipients = recipientsAt(policy?.steps[escalation.step]?.notify ?? [], onCall, now.nowMs);
    const taken = decideTaken({ escalation, incident, policy }, { ...recipients, mails, onCall, view: now, isAsked });
    rows.dropMarkers();
    rows.escalation = taken.next;
    record(rows, now, taken.moment, taken.decisions);
    const isEnough = taken.policy !== undefined && isStopped(taken.next, taken.policy, incident);
    if (incident.acknowledgedAtMs !== undefined && isEnough) rows.stop(now.nowMs);
  }

  /** As the ticks of alerts/ticks.ts. */
  function tick(rows: Rows, nowMs: number) {
    decideDeferred(rows, nowMs);
    while (decideWaiting(rows, nowMs) || escalate(rows, nowMs));
    remind(rows, nowMs);
  }

  function decideDeferred(rows: Rows, nowMs: number) {
    const moments = rows.dueMoments(nowMs);
    if (moments.length === 0) return;
    const now = view(rows, nowMs);
    const verdicts = moments.map((moment) => decideAgain(moment, rows.incident, now.inputFor(rows.incident)));
    rows.dropHeld(moments);
    moments.forEach((moment, index) => record(rows, now, moment, verdicts[index]!));
  }

  function decideWaiting(rows: Rows, nowMs: number): boolean {
    const due = rows.dueSteps(nowMs);
    if (due.length === 0) return false;
    const { incident, escalation } = rows;
    const now = view(rows, nowMs);
    const policy = onCall.policies.get(escalation?.policyId ?? 0);
    for (const { moment, channelId } of due) {
      const decision = decideWaitingAgain(channelId, incident, policy, now);
      if (decision !== null) record(rows, now, moment, [decision]);
      else {
        rows.escalation = releasedAt(escalation!, policy, nowMs);
        rows.dropDeferredStart();
      }
    }
    return true;
  }

  function escalate(rows: Rows, nowMs: number): boolean {
    const { escalation } = rows;
    if (escalation === undefined || escalation.stoppedAtMs !== null || (escalation.dueAtMs ?? Infinity) > nowMs) {
      return false;
    }
    takeStep(rows, view(rows, nowMs), escalation, false);
    return true;
  }

  function remind(rows: Rows, nowMs: number) {
    if (rows.reminderDueMs === null || rows.reminderDueMs > nowMs) return;
    const now = view(rows, nowMs);
    const decisions = decideReminder(now.inputFor(rows.incident));
    const dueMs = reminderDueMs(now, rows.incident, decisions);
    const counts = decisions.some(({ outcome }) => outcome !== "skipped");
    const reminders = rows.incident.reminders + (counts ? 1 : 0);
    rows.incident = { ...rows.incident, reminders };
    rows.planReminder(dueMs);
    if (counts) record(rows, now, `reminder:${reminders}`, decisions);
  }
}
