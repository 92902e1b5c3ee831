import type { Call } from "@sonde/kit/bus/rpc";
import { orNull } from "@sonde/kit/errors";
import { inOrder, readTimeline, type TimelineSources } from "@sonde/domain/incident-timeline";
import type { Incident, TimelineEntry } from "@sonde/proto/http/incidents/incidents";
import { incidentText } from "@sonde/proto/http/incidents/messages";
import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import type { Language } from "@sonde/proto/http/messages";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { answerForReaders } from "@sonde/proto/http/notifications/delivery-answers";
import type { IncidentStory } from "@sonde/proto/rpc/notifications";
import type { Database } from "@sonde/kit/postgres/database";
import { alertOf, deliveryText, nameOf, whyText, type RecordedDecision } from "./words.ts";
import { type Deferral, nextReminder } from "./next-reminder.ts";
import { presentProgress, type Progress, readProgress } from "../on-call/progress.ts";
import { deliveriesOf } from "../deliveries/list.ts";
import { precedingEvents, type PrecedingSources } from "./preceding.ts";

export type StorySources = TimelineSources & {
  preceding: PrecedingSources;
  notifications(incidentId: string): Promise<RecordedNotifications>;
  quietAt(target: TargetRef, atMs: number): Deferral | null;
};

/**
 * Returns an incident with its timeline: what happened, which channels were notified when and how, and why others were
 * not. Sentences are in the requested language.
 * @throws AppError `not_found`, or `unavailable` while the incident's service is
 */
export async function incidentStory(
  sources: StorySources,
  input: {
    id: string;
    language: Language;
    hideAnswers?: boolean | undefined;
    showEditors?: boolean | undefined;
  },
  call: Pick<Call, "requestId" | "actor">,
): Promise<IncidentStory> {
  const [{ timeline, events, ...found }, known] = await Promise.all([
    readTimeline(sources, input, { call }).then(async (own) => ({
      ...own,
      events: await precedingEvents(sources.preceding, own.incident, input, call),
    })),
    orNull(sources.notifications(input.id)),
  ]);
  const { incident, unavailable, whatChanged, ...evidence } = found;
  const recorded = known !== null && input.hideAnswers === true ? withoutAnswers(known) : known;
  const notified = recorded === null ? none : notifiedEntries(incident, recorded, input.language);
  const missing = [...unavailable, ...(recorded === null ? (["notifications"] as const) : [])];
  const next = recorded === null ? null : nextReminder(sources.quietAt, incident, recorded);
  return {
    incident,
    ...evidence,
    whatChanged:
      whatChanged === undefined && events.length === 0 ? undefined : { differences: [], ...whatChanged, events },
    timeline: inOrder([...timeline, ...notified.entries]),
    omitted: notified.omitted || undefined,
    ...(recorded === null ? { channels: [] } : channelAnswers(incident, recorded, input.language)),
    nextReminderAt: next?.untilMs == null ? undefined : instant(next.untilMs),
    reminderDeferredBy: next?.reason,
    escalation: recorded?.progress ? presentProgress(recorded.progress, recorded.decisions) : undefined,
    unavailable: missing.length > 0 ? missing : undefined,
  };
}

const withoutAnswers = ({ deliveries, ...rest }: RecordedNotifications): RecordedNotifications => ({
  ...rest,
  deliveries: deliveries.map((delivery) => ({
    ...delivery,
    attempts: delivery.attempts.map((attempt) => ({ ...attempt, answer: answerForReaders(attempt.answer) })),
  })),
});

const none = { entries: [], omitted: 0 };
const instant = (ms: number) => new Date(ms).toISOString();

const maxAttempts = 20;
/** For decisions and for deliveries: an incident that is open for months has thousands of reminders. */
const maxShown = 250;
const firstShown = 50;

const endsOf = <Item>(items: readonly Item[]): Item[] =>
  items.length <= maxShown ? [...items] : [...items.slice(0, firstShown), ...items.slice(firstShown - maxShown)];

function notifiedEntries(incident: Incident, recorded: RecordedNotifications, language: Language) {
  const decisions = endsOf(recorded.decisions.toSorted((one, other) => one.atMs - other.atMs));
  const deliveries = endsOf(recorded.deliveries.toSorted((one, other) => one.createdAt.localeCompare(other.createdAt)));
  const entries = [
    ...[...Map.groupBy(decisions, ({ moment }) => moment)].flatMap(([moment, own]) => [
      ...changesOf(moment, own, language),
      ...alertsOf(incident, moment, own, language),
    ]),
    ...withoutRepeats(decisions).map((decision) => notSentEntry(incident, decision, language)),
    ...deliveries.map((delivery) => deliveryEntry(delivery, language)),
  ];
  const known = recorded.decisions.length + recorded.deliveries.length;
  return { entries, omitted: known - decisions.length - deliveries.length };
}

/** Returns decisions not to send. A reason to skip a channel is shown once, not at each reminder. */
function withoutRepeats(decisions: readonly RecordedDecision[]): RecordedDecision[] {
  const shown = new Set<string>();
  return decisions.filter(({ moment, outcome, channelId, reason }) => {
    const key = `${channelId} ${outcome} ${reason}`;
    const isRepeat = moment.startsWith("reminder") && outcome === "skipped" && shown.has(key);
    shown.add(key);
    return outcome !== "sent" && !isRepeat;
  });
}

function changesOf(moment: string, decisions: readonly RecordedDecision[], language: Language): TimelineEntry[] {
  const [type] = moment.split(":");
  const { by: name, note } = decisions.find(({ request }) => request?.by !== undefined)?.request ?? {};
  if (name !== undefined) {
    const message = note === undefined ? "Escalated by {name}" : "Escalated by {name}: {note}";
    const at = instant(decisions[0]?.atMs ?? 0);
    return [{ at, type: "escalated", text: incidentText(message, language, { name, note: note ?? "" }) }];
  }
  if (type !== "flapping" && type !== "steady") return [];
  const text =
    type === "flapping"
      ? "Flapping: the incident stays open until the target is stable"
      : "No longer flapping, but still failing";
  return [{ at: instant(decisions[0]?.atMs ?? 0), type, text: incidentText(text, language) }];
}

function alertsOf(
  incident: Incident,
  moment: string,
  decisions: readonly RecordedDecision[],
  language: Language,
): TimelineEntry[] {
  const { kind } = alertOf(incident, moment);
  const alert = nameOf(incident, moment, language);
  const sent = Map.groupBy(
    decisions.filter(({ outcome }) => outcome === "sent"),
    ({ atMs }) => atMs,
  );
  return [...sent].map(([atMs, own]) => {
    const channels = own.map(({ channelId, channelName }) => channelName || `#${channelId}`).join(", ");
    const text = incidentText("Sending “{alert}” to {channels}", language, { alert, channels });
    return { at: instant(atMs), type: "alert", kind, text };
  });
}

function notSentEntry(incident: Incident, decision: RecordedDecision, language: Language): TimelineEntry {
  const channel = decision.channelId === null ? undefined : (decision.channelName ?? "");
  return {
    at: instant(decision.atMs),
    type: "not_sent",
    text: whyText(incident, decision, channel, language),
    channelId: decision.channelId ?? undefined,
    channelName: channel,
    kind: alertOf(incident, decision.moment).kind,
    reason: decision.reason,
    heldUntil: deferredUntil(decision),
  };
}

const deferredUntil = ({ outcome, untilMs }: RecordedDecision): string | undefined =>
  outcome === "held" && untilMs !== null ? instant(untilMs) : undefined;

function deliveryEntry(delivery: Delivery, language: Language): TimelineEntry {
  const last = delivery.attempts.at(-1);
  return {
    at: last === undefined ? delivery.createdAt : instant(Date.parse(last.at) + last.durationMs),
    type: "delivery",
    text: deliveryText(delivery, language),
    channelId: delivery.channelId,
    channelName: delivery.channelName,
    deliveryId: delivery.id,
    status: delivery.status,
    kind: delivery.kind,
    detail: last?.answer || undefined,
    attempts: delivery.attempts.slice(-maxAttempts),
  };
}

/** One sentence per channel with a decision, including deleted ones, and one for all others. */
function channelAnswers(
  incident: Incident,
  { decisions, deliveries, channels }: RecordedNotifications,
  language: Language,
): Pick<IncidentStory, "channels" | "notChosen"> {
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  for (const { channelId, channelName } of [...decisions, ...deliveries]) {
    if (channelId !== null && !names.has(channelId)) names.set(channelId, channelName || `#${channelId}`);
  }
  const answers = [...names].flatMap(([channelId, channelName]) => {
    const answer = { channelId, channelName, told: false };
    const own = deliveries
      .filter((delivery) => delivery.channelId === channelId)
      .toSorted((one, other) => one.createdAt.localeCompare(other.createdAt) || one.id - other.id);
    // The first delivered one counts; without one, the first gives the reason.
    const delivery = own.find(({ status }) => status === "delivered") ?? own[0];
    if (delivery !== undefined) {
      return [{ ...answer, told: delivery.status === "delivered", text: deliveryText(delivery, language) }];
    }
    const about = decisions.filter((decision) => decision.channelId === channelId);
    const decision = about.find(({ moment }) => moment === "opened") ?? about[0];
    if (decision === undefined) return [];
    const text = whyText(incident, decision, channelName, language);
    return [{ ...answer, text, heldUntil: deferredUntil(decision) }];
  });
  const count = names.size - answers.length;
  const text = othersText(incident, decisions, count, language);
  return { channels: answers, notChosen: count === 0 ? undefined : { count, text } };
}

function othersText(
  incident: Incident,
  decisions: readonly RecordedDecision[],
  count: number,
  language: Language,
): string {
  const ofNone = decisions.find(({ channelId }) => channelId === null);
  if (ofNone !== undefined) return whyText(incident, ofNone, undefined, language);
  if (decisions.length === 0)
    return incidentText("No notification decisions were recorded for this incident", language);
  if (count === 1) return incidentText("1 other channel isn't used for this target", language);
  return incidentText("{count} other channels aren't used for this target", language, { count });
}

type RecordedNotifications = {
  /** Ordered by time. */
  decisions: RecordedDecision[];
  /** Newest first. */
  deliveries: Delivery[];
  channels: { id: number; name: string }[];
  reminderDueAtMs: number | null;
  /** Progress through the escalation policy. */
  progress: Progress | null;
};

/** Reads the decisions about an incident and its deliveries; empty for an unknown incident. */
export async function notificationsOf(db: Database, incidentId: string): Promise<RecordedNotifications> {
  const [decisions, deliveries, channels, incident, progress] = await Promise.all([
    decisionsOf(db, incidentId),
    deliveriesOf(db, { incidentId }),
    db("channels").where({ userId: null }).orderBy("id").select<RecordedNotifications["channels"]>("id", "name"),
    db("incidents").where({ id: incidentId }).first<{ due: number | null } | undefined>("reminder_due_at_ms as due"),
    readProgress(db, incidentId),
  ]);
  return { decisions, deliveries, channels, reminderDueAtMs: incident?.due ?? null, progress };
}

/** Keeps decisions about the opening and the newest others, since a long incident has ever more reminders. */
const maxDecisions = 1_000;

/** A deleted channel keeps its name if something was sent to it. */
async function decisionsOf(db: Database, incidentId: string): Promise<RecordedDecision[]> {
  const { rows } = await db.raw<{ rows: RecordedDecision[] }>(
    `with chosen as (
       select * from decisions where incident_id = ? order by moment = 'opened' desc, id desc limit ${maxDecisions}
     )
     select chosen.moment, chosen.at_ms, chosen.channel_id, coalesce(channels.name, deliveries.channel_name) as channel_name,
       outcome, reason, until_ms, parents.target_name as parent_name, contacts.value->>'timeZone' as time_zone,
       alerts.facts->'step' as request
     from chosen
     left join channels on channels.id = chosen.channel_id
     left join contacts on contacts.user_id = channels.user_id
     left join incidents as parents on parents.id = chosen.parent_incident_id
     left join alerts on alerts.incident_id = chosen.incident_id and alerts.moment = chosen.moment
     left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = chosen.channel_id
     order by chosen.at_ms, chosen.id`,
    [incidentId],
  );
  return rows;
}
