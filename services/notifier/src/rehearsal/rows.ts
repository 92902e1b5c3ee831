import type { ChannelDecision, NotifiedMoments } from "../alerts/decide.ts";
import { addMoment } from "../alerts/facts.ts";
import { type AlertMoment, type MomentName, type NotifiedIncident, readMoment } from "../alerts/incident.ts";
import { type Escalation, momentOf } from "../on-call/escalations.ts";

type Decision = {
  moment: AlertMoment;
  channelId: number | null;
  outcome: ChannelDecision["outcome"];
  reason: string;
  untilMs: number | null;
  parentIncidentId?: string | undefined;
  atMs: number;
};

/** What PostgreSQL would store about an incident, with the same changes as in alerts/decisions.ts and on-call/escalations.ts. */
export class Rows {
  incident: NotifiedIncident;
  reminderDueMs: number | null = null;
  escalation: Escalation | undefined;
  readonly decisions = new Map<string, Decision>();

  constructor(incident: NotifiedIncident) {
    this.incident = incident;
  }

  /** When something is due next. */
  dueMs(): number {
    const { dueAtMs, stoppedAtMs } = this.escalation ?? { dueAtMs: null, stoppedAtMs: null };
    const stepMs = stoppedAtMs === null ? (dueAtMs ?? Infinity) : Infinity;
    const heldMs = this.held().map(({ untilMs }) => untilMs ?? Infinity);
    return Math.min(stepMs, this.reminderDueMs ?? Infinity, ...heldMs);
  }

  held(name?: MomentName): Decision[] {
    return [...this.decisions.values()].filter(
      ({ outcome, moment }) => outcome === "held" && (name === undefined || readMoment(moment).name === name),
    );
  }

  /** Moments other than steps that were deferred until now. */
  dueMoments(nowMs: number): AlertMoment[] {
    const due = this.held().filter(({ untilMs, moment }) => (untilMs ?? Infinity) <= nowMs && !isStep(moment));
    return [...new Set(due.map(({ moment }) => moment))];
  }

  dueSteps(nowMs: number): Decision[] {
    return this.held("step").filter(({ untilMs }) => (untilMs ?? Infinity) <= nowMs);
  }

  /** Returns the channels that are notified now. Those that were notified before stay so. */
  save(moment: AlertMoment, decisions: readonly ChannelDecision[], nowMs: number): number[] {
    return decisions.flatMap((decision) => {
      const { channelId, outcome, reason } = decision;
      const key = `${moment} ${channelId}`;
      if (this.decisions.get(key)?.outcome === "sent") return [];
      const deferral = decision.outcome === "held" ? decision : { untilMs: null, parentIncidentId: undefined };
      const { untilMs, parentIncidentId } = deferral;
      this.decisions.set(key, { moment, channelId, outcome, reason, untilMs, parentIncidentId, atMs: nowMs });
      return outcome === "sent" && channelId !== null ? [channelId] : [];
    });
  }

  /** @param isFailed whether the message about a moment is known not to have reached a channel */
  notified(isFailed: (moment: AlertMoment, channelId: number) => boolean): Map<number, NotifiedMoments> {
    const channels = new Map<number, NotifiedMoments>();
    for (const { moment, channelId, outcome } of this.decisions.values()) {
      if (channelId === null || outcome === "skipped") continue;
      const [sent, deferred] = [outcome === "sent", outcome === "held"];
      if (sent && isFailed(moment, channelId)) continue;
      addMoment(channels, { channelId, name: readMoment(moment).name, sent, deferred });
    }
    return channels;
  }

  drop(isDropped: (decision: Decision) => boolean) {
    for (const [key, decision] of this.decisions) if (isDropped(decision)) this.decisions.delete(key);
  }

  dropHeld(moments: readonly AlertMoment[]) {
    this.drop(({ outcome, moment }) => outcome === "held" && moments.includes(moment));
  }

  dropDeferredStart() {
    this.drop(({ outcome, moment, channelId }) => outcome === "held" && channelId === null && isStep(moment));
  }

  dropMarkers() {
    this.drop(({ reason, moment, channelId }) => reason === "acknowledged" && channelId === null && isStep(moment));
  }

  endDeferred(nowMs: number, name?: MomentName) {
    const ended = { outcome: "skipped", reason: "ended_before", untilMs: null, parentIncidentId: undefined } as const;
    for (const decision of this.held(name)) Object.assign(decision, ended, { atMs: nowMs });
  }

  planReminder(dueMs: number | null) {
    const { closedAtMs, acknowledgedAtMs } = this.incident;
    if (closedAtMs === undefined && acknowledgedAtMs === undefined) this.reminderDueMs = dueMs;
  }

  /** When users were last notified of more than a step. */
  lastSentMs(): number | undefined {
    const sent = [...this.decisions.values()].filter(
      ({ outcome, moment }) => outcome === "sent" && moment !== "closed" && !isStep(moment),
    );
    return sent.length === 0 ? undefined : Math.max(...sent.map(({ atMs }) => atMs));
  }

  stop(nowMs: number) {
    if (this.escalation === undefined) return;
    const waiting = this.held("step");
    const isDeferred = waiting.some(({ channelId }) => channelId === null);
    this.dropDeferredStart();
    for (const decision of waiting) {
      Object.assign(decision, { outcome: "skipped", reason: "acknowledged", parentIncidentId: undefined, atMs: nowMs });
    }
    const dueAtMs = isDeferred ? nowMs : this.escalation.dueAtMs;
    this.escalation = { ...this.escalation, stoppedAtMs: nowMs, dueAtMs };
    const moment = momentOf(this.escalation);
    if (dueAtMs === null || this.decisions.has(`${moment} null`)) return;
    this.save(moment, [{ channelId: null, outcome: "skipped", reason: "acknowledged" }], nowMs);
  }

  resume(nowMs: number) {
    if (this.escalation === undefined || this.escalation.stoppedAtMs === null) return;
    this.escalation = { ...this.escalation, stoppedAtMs: null };
    this.dropMarkers();
    for (const decision of this.decisions.values()) {
      if (decision.outcome !== "skipped" || decision.reason !== "acknowledged" || !isStep(decision.moment)) continue;
      Object.assign(decision, { outcome: "held", reason: "waiting", untilMs: decision.untilMs ?? nowMs });
    }
  }
}

const isStep = (moment: AlertMoment): boolean => readMoment(moment).name === "step";
