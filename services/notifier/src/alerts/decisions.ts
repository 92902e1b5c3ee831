import type { Database } from "@sonde/kit/postgres/database";
import { counter } from "@sonde/kit/telemetry/metrics";
import { addDeliveries } from "../deliveries/add.ts";
import { reminderAfterMs } from "../settings/store.ts";
import {
  type AlertFacts,
  alertKindOf,
  type AlertMoment,
  idsOf,
  type NotifiedIncident,
  planReminders,
  readMoment,
  targetKey,
} from "./incident.ts";
import type { IncidentsView } from "./facts.ts";
import type { ChannelDecision } from "./decide.ts";
import { afterCommit } from "./deciding.ts";

type Verdict = { incident: NotifiedIncident; moment: AlertMoment; decisions: readonly ChannelDecision[] };

/** Writes decisions, alerts, deliveries and the next reminders, in the transaction that decided. */
export async function recordVerdicts(trx: Database, view: IncidentsView, verdicts: readonly Verdict[]): Promise<void> {
  await saveDecisions(trx, verdicts, view.nowMs);
  afterCommit(trx, () => report(view, verdicts));
  const sent = verdicts.filter(({ decisions }) => decisions.some(({ outcome }) => outcome === "sent"));
  if (sent.length === 0) return;
  const alerts = sent.map(({ incident, moment }) => ({ moment, facts: view.factsOf(incident, moment) }));
  await addDeliveriesOfChannels(trx, view, sent, await saveAlerts(trx, alerts));
  const reminded = sent.flatMap(({ incident, moment }) => {
    // Steps notify others, so they do not delay reminders.
    if (readMoment(moment).name === "step") return [];
    if (incident.closedAtMs !== undefined || incident.acknowledgedAtMs !== undefined) return [];
    const afterMs = reminderAfterMs(view.policyOf(incident), incident.kind);
    return [{ id: incident.id, due: afterMs === null ? null : view.nowMs + afterMs }];
  });
  await planReminders(trx, reminded);
}

const alertsTotal = counter("sonde_notifier_alerts_total", "Alerts that go to at least one channel", ["kind"]);
const decisionsTotal = counter(
  "sonde_notifier_decisions_total",
  "Decisions whether to notify a channel, by outcome and reason",
  ["outcome", "reason"],
);

function report({ log }: IncidentsView, verdicts: readonly Verdict[]): void {
  for (const { incident, moment, decisions } of verdicts) {
    for (const { outcome, reason } of decisions) decisionsTotal.inc({ outcome, reason });
    const channels = (expected: ChannelDecision["outcome"]) =>
      decisions.flatMap(({ outcome, channelId }) => (outcome === expected && channelId !== null ? [channelId] : []));
    const [told, held] = [channels("sent"), channels("held")];
    const kind = alertKindOf(incident.kind, readMoment(moment).name);
    if (told.length > 0) alertsTotal.inc({ kind });
    const reasons = [...new Set(decisions.map(({ reason }) => reason))].filter((reason) => reason !== "sent");
    const target = targetKey(incident.target);
    log.info({ incident: incident.id, target, moment, kind, told, held, reasons }, "alert decided");
  }
}

/** Goes by ascending channel id, since each channel stays locked, and within a channel in alert order. */
async function addDeliveriesOfChannels(
  trx: Database,
  view: IncidentsView,
  sent: readonly Verdict[],
  alerts: readonly StoredAlert[],
): Promise<void> {
  const sendings = sent.flatMap(({ incident, decisions }, index) =>
    decisions.flatMap(({ channelId, outcome }) => {
      const [channel, alert] = [view.channels.get(channelId ?? 0), alerts[index]];
      if (outcome !== "sent" || channel === undefined || alert === undefined) return [];
      const { language, templateId } = view.policyOf(incident);
      const { id, type: channelType, name: channelName, reader } = channel;
      const delivery = {
        alertId: alert.id,
        facts: alert.facts,
        channelType,
        channelName,
        reader,
        language,
        templateId,
      };
      return [{ channelId: id, delivery }];
    }),
  );
  const byChannel = [...Map.groupBy(sendings, ({ channelId }) => channelId)];
  for (const [channelId, own] of byChannel.toSorted(([one], [other]) => one - other)) {
    const deliveries = own.map(({ delivery }) => delivery);
    await addDeliveries(trx, channelId, deliveries, view.nowMs);
  }
}

type StoredAlert = { id: number; facts: AlertFacts };

/** Inserts alerts with their facts; an existing alert keeps its facts. Returns them in the order of the input. */
async function saveAlerts(
  trx: Database,
  alerts: readonly { moment: AlertMoment; facts: AlertFacts }[],
): Promise<StoredAlert[]> {
  const rows = alerts.map(({ moment, facts }) => {
    return { incidentId: facts.incidentId, moment, facts, kind: facts.kind, createdAtMs: facts.atMs };
  });
  await trx("alerts").insert(rows).onConflict(["incidentId", "moment"]).ignore();
  const stored = await trx.raw<{ rows: StoredAlert[] }>(
    `select alerts.id, facts
     from unnest(?::text[], ?::text[]) with ordinality as input (incident_id, moment, place)
     join alerts using (incident_id, moment) order by place`,
    pairsOf(rows),
  );
  return stored.rows;
}

type MomentKey = { incidentId: string; moment: AlertMoment };

const pairsOf = (moments: readonly MomentKey[]): string[][] => [
  moments.map(({ incidentId }) => incidentId),
  moments.map(({ moment }) => moment),
];

/** Returns which of the moments were already decided, as `m1 flapping:1000`. */
export async function decidedMoments(db: Database, moments: readonly MomentKey[]): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: MomentKey[] }>(
    `select distinct decisions.incident_id, decisions.moment
     from unnest(?::text[], ?::text[]) as requested (incident_id, moment) join decisions using (incident_id, moment)`,
    pairsOf(moments),
  );
  return new Set(rows.map(({ incidentId, moment }) => `${incidentId} ${moment}`));
}

/** Writes decisions, replacing earlier ones for the same moment and channel, except those that were sent. */
async function saveDecisions(trx: Database, verdicts: readonly Verdict[], nowMs: number): Promise<void> {
  const rows = verdicts.flatMap(({ incident, moment, decisions }) =>
    decisions.map((decision) => ({
      incident_id: incident.id,
      moment,
      channel_id: decision.channelId,
      outcome: decision.outcome,
      reason: incident.drill !== undefined && decision.outcome === "sent" ? "drill" : decision.reason,
      parent_incident_id: decision.outcome === "held" ? decision.parentIncidentId : undefined,
      until_ms: decision.outcome === "held" ? decision.untilMs : null,
      at_ms: nowMs,
    })),
  );
  const names = "incident_id, moment, channel_id, outcome, reason, parent_incident_id, until_ms, at_ms";
  await trx.raw(
    `insert into decisions (${names}) select ${names} from jsonb_populate_recordset(null::decisions, ?::jsonb)
     on conflict (incident_id, moment, channel_id) do update set
       outcome = excluded.outcome, reason = excluded.reason, parent_incident_id = excluded.parent_incident_id,
       until_ms = excluded.until_ms, at_ms = excluded.at_ms
     where decisions.outcome <> 'sent'`,
    [JSON.stringify(rows)],
  );
}

/** Skips deferred alerts of incidents, or only those of one kind of moment, because the incident ended first. */
export async function endDeferred(
  trx: Database,
  incidentIds: readonly string[],
  nowMs: number,
  name: string | null = null,
): Promise<void> {
  await trx.raw(
    `update decisions set outcome = 'skipped',
       reason = case when reason = 'group' then reason else 'ended_before' end, until_ms = null, parent_incident_id = null, at_ms = ?
     where outcome = 'held' and incident_id = any(?) and split_part(moment, ':', 1) = coalesce(?, split_part(moment, ':', 1))`,
    [nowMs, [...incidentIds], name],
  );
}

export async function dropDeferredReminders(trx: Database, incidentIds: readonly string[]): Promise<void> {
  await trx("decisions")
    .where({ outcome: "held" })
    .whereRaw("incident_id = any(?) and moment like 'reminder:%'", [[...incidentIds]])
    .delete();
}

/** Moves alerts that a snooze deferred to its present end, or makes them due if it ended. */
export async function moveSnoozed(trx: Database, incidentIds: readonly string[], nowMs: number): Promise<void> {
  await trx.raw(
    `update decisions set until_ms = greatest(coalesce(snoozed_until_ms, 0), ?::bigint)
     from incidents
     where incidents.id = incident_id and outcome = 'held' and reason = 'snoozed' and incident_id = any(?)`,
    [nowMs, [...incidentIds]],
  );
}

/** Plans the next reminders of open incidents: one cooldown after the last notification of each. */
export async function resumeReminders(
  trx: Database,
  policyOf: IncidentsView["policyOf"],
  incidents: readonly NotifiedIncident[],
): Promise<void> {
  const { rows } = await trx.raw<{ rows: { id: string; sentAtMs: number }[] }>(
    `select incident_id as id, max(at_ms) as sent_at_ms from decisions
     where incident_id = any(?) and outcome = 'sent' and moment <> 'closed' and moment not like 'step:%' group by 1`,
    [idsOf(incidents)],
  );
  const sentAt = new Map(rows.map((row) => [row.id, row.sentAtMs]));
  const plans = incidents.map((incident) => {
    const [sentAtMs, afterMs] = [sentAt.get(incident.id), reminderAfterMs(policyOf(incident), incident.kind)];
    return { id: incident.id, due: sentAtMs === undefined || afterMs === null ? null : sentAtMs + afterMs };
  });
  await planReminders(trx, plans);
}

/** Deletes deferred decisions of moments that are about to be decided again. */
export async function dropDeferred(trx: Database, moments: readonly MomentKey[]): Promise<void> {
  await trx.raw(
    `delete from decisions using unnest(?::text[], ?::text[]) as done (incident_id, moment)
     where decisions.incident_id = done.incident_id and decisions.moment = done.moment and outcome = 'held'`,
    pairsOf(moments),
  );
}

/** Extra time, beyond its interval, for a target to recover after its parent did. */
const graceMs = 5_000;
const maxIntervalMs = 86_400_000;

/** As `releaseDeferredBy`. */
export const releaseAtMs = (nowMs: number, intervalMs: number): number =>
  nowMs + graceMs + Math.round(Math.min(Math.max(intervalMs, 0), maxIntervalMs));

/** Makes alerts deferred by these incidents due once their targets can have been checked again. */
export async function releaseDeferredBy(trx: Database, parentIds: readonly string[], nowMs: number): Promise<void> {
  await trx.raw(
    `update decisions set until_ms = ?::bigint + ${graceMs} + coalesce(
       least(greatest((incidents.facts->>'intervalMs')::float8, 0), ${maxIntervalMs}), 0)::bigint
     from incidents
     where incidents.id = decisions.incident_id and outcome = 'held' and parent_incident_id = any(?)`,
    [nowMs, [...parentIds]],
  );
}

/** Without those of steps, which are decided by channel (on-call/escalate.ts). */
export async function dueDeferred(db: Database, nowMs: number, limit: number): Promise<MomentKey[]> {
  const { rows } = await db.raw<{ rows: MomentKey[] }>(
    `select incident_id, moment from decisions where outcome = 'held' and until_ms <= ? and moment not like 'step:%'
     group by 1, 2 order by min(id) limit ?`,
    [nowMs, limit],
  );
  return rows;
}
