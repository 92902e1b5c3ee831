import type { Database } from "@sonde/kit/postgres/database";
import { oneOf } from "@sonde/kit/one-of";
import type { ChannelDecision, NotifiedMoments } from "./decide.ts";
import { type AlertMoment, momentNames } from "./moment.ts";

type DecisionOf = { incidentId: string; moment: AlertMoment; decision: ChannelDecision };

type ToldRow = { incidentId: string; channelId: number; name: string; told: boolean; held: boolean };

const readName = oneOf(momentNames, "moment");

/**
 * What each channel was notified of, by incident, and whether an alert is deferred for it. A failed delivery does not
 * count, unless an attempt is in doubt: then its message may have arrived.
 */
export async function loadNotifiedMoments(
  db: Database,
  incidentIds: readonly string[],
): Promise<Map<string, Map<number, NotifiedMoments>>> {
  const { rows } = await db.raw<{ rows: ToldRow[] }>(
    `select decisions.incident_id, decisions.channel_id, split_part(decisions.moment, ':', 1) as name,
       bool_or(outcome = 'sent') as told, bool_or(outcome = 'held') as held
     from decisions
     left join alerts on alerts.incident_id = decisions.incident_id and alerts.moment = decisions.moment
     left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = decisions.channel_id
     where decisions.incident_id = any(?) and decisions.channel_id is not null
       and (outcome = 'held' or (outcome = 'sent' and (
         deliveries.status is distinct from 'failed' or exists (
           select from attempts
           where attempts.message_id = deliveries.message_id and (ended_at_ms is null or in_doubt)
         )
       )))
     group by 1, 2, 3`,
    [[...incidentIds]],
  );
  const told = new Map<string, Map<number, NotifiedMoments>>();
  for (const row of rows) {
    const channels = told.get(row.incidentId) ?? new Map<number, NotifiedMoments>();
    told.set(row.incidentId, channels);
    const { isWaiting = false, ...known } = channels.get(row.channelId) ?? {};
    const name = readName(row.name);
    const waits = row.held && (name === "opened" || name === "reminder");
    channels.set(row.channelId, { ...known, [name]: row.told, isWaiting: isWaiting || waits });
  }
  return told;
}

/** Of some moments, those that were decided already, as `m1 flapping:1000`. */
export async function decidedMoments(
  db: Database,
  moments: readonly { incidentId: string; moment: AlertMoment }[],
): Promise<Set<string>> {
  const { rows } = await db.raw<{ rows: { incidentId: string; moment: string }[] }>(
    `select distinct decisions.incident_id, decisions.moment
     from unnest(?::text[], ?::text[]) as asked (incident_id, moment) join decisions using (incident_id, moment)`,
    [moments.map(({ incidentId }) => incidentId), moments.map(({ moment }) => moment)],
  );
  return new Set(rows.map(({ incidentId, moment }) => `${incidentId} ${moment}`));
}

/** Writes decisions, replacing earlier ones of the same moment and channel; sent ones stay sent. */
export async function saveDecisions(trx: Database, decisions: readonly DecisionOf[], nowMs: number): Promise<void> {
  const rows = decisions.map(({ incidentId, moment, decision }) => ({
    incident_id: incidentId,
    moment,
    channel_id: decision.channelId,
    outcome: decision.outcome,
    reason: decision.reason,
    parent_incident_id: decision.outcome === "held" ? decision.parentIncidentId : undefined,
    until_ms: decision.outcome === "held" ? decision.untilMs : null,
    at_ms: nowMs,
  }));
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

/** Ends what is deferred of incidents, or of one kind of moment of them: the incident ended first. */
export async function endDeferred(
  trx: Database,
  incidentIds: readonly string[],
  nowMs: number,
  name: string | null = null,
): Promise<void> {
  await trx.raw(
    `update decisions set outcome = 'skipped', reason = 'ended_before', until_ms = null, parent_incident_id = null, at_ms = ?
     where outcome = 'held' and incident_id = any(?) and split_part(moment, ':', 1) = coalesce(?, split_part(moment, ':', 1))`,
    [nowMs, [...incidentIds], name],
  );
}

/** Drops the deferred reminders of these incidents. */
export async function dropDeferredReminders(trx: Database, incidentIds: readonly string[]): Promise<void> {
  await trx("decisions")
    .where({ outcome: "held" })
    .whereRaw("incident_id = any(?) and moment like 'reminder:%'", [[...incidentIds]])
    .delete();
}

/**
 * Drops what is no longer deferred of moments that are decided again, such as for a channel that was removed from the
 * settings.
 */
export async function dropDeferred(
  trx: Database,
  moments: readonly { incidentId: string; moment: AlertMoment }[],
): Promise<void> {
  await trx.raw(
    `delete from decisions using unnest(?::text[], ?::text[]) as done (incident_id, moment)
     where decisions.incident_id = done.incident_id and decisions.moment = done.moment and outcome = 'held'`,
    [moments.map(({ incidentId }) => incidentId), moments.map(({ moment }) => moment)],
  );
}

/** The time beyond its interval that a target has to recover, if it was not checked since its parent did. */
const graceMs = 5_000;
const longestIntervalMs = 86_400_000;

/** Makes alerts deferred by incidents that closed now due once each target was checked again. */
export async function releaseDeferredBy(
  trx: Database,
  parentIncidentIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await trx.raw(
    `update decisions set until_ms = ?::bigint + ${graceMs} + coalesce(
       least(greatest((incidents.facts->>'intervalMs')::float8, 0), ${longestIntervalMs}), 0)::bigint
     from incidents
     where incidents.id = decisions.incident_id and outcome = 'held' and parent_incident_id = any(?)`,
    [nowMs, [...parentIncidentIds]],
  );
}

/** Moments with a deferred decision that is due. */
export async function dueDeferred(
  db: Database,
  nowMs: number,
  limit: number,
): Promise<{ incidentId: string; moment: string }[]> {
  const { rows } = await db.raw<{ rows: { incidentId: string; moment: string }[] }>(
    `select incident_id, moment from decisions where outcome = 'held' and until_ms <= ?
     group by 1, 2 order by min(id) limit ?`,
    [nowMs, limit],
  );
  return rows.map(({ incidentId, moment }) => ({ incidentId, moment }));
}
