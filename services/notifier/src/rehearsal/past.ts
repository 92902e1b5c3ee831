import { AppError, type FieldFault, impossible, invalid } from "@sonde/kit/errors";
import type { Database } from "@sonde/kit/postgres/database";
import { maxRehearsalDays, type RehearsalInput } from "@sonde/proto/http/on-call/rehearsal";

const dayMs = 86_400_000;
/** A browser's clock may be ahead by this. */
const clocksMs = 60_000;
/** Due moments are decided within this time. */
const decidedMs = 2_000;
/** With their changes and decisions they take about 60 MiB in the thread. */
const maxIncidents = 20_000;
const partSize = 1_000;

/** @throws AppError `invalid`, `impossible` */
export function periodOf({ from, to }: RehearsalInput, nowMs: number, keptDays: number) {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const fault = (path: string, message: FieldFault["message"], days?: number) =>
    [{ path, message, params: days === undefined ? undefined : { days } }] as FieldFault[];
  if (toMs <= fromMs) throw invalid(fault("to", "The end must be after the start"));
  if (toMs - fromMs > maxRehearsalDays * dayMs) {
    throw invalid(fault("to", "The duration can be at most {days} days", maxRehearsalDays));
  }
  if (toMs > nowMs + clocksMs) throw impossible(fault("to", "The end cannot be in the future"));
  if (fromMs < nowMs - keptDays * dayMs) {
    throw impossible(fault("from", "Incidents are only kept for {days} days", keptDays));
  }
  return { fromMs, toMs: Math.min(toMs, nowMs - decidedMs), nowMs };
}

/**
 * Reads what happened to the incidents of a period and whom they notified, as JSON that this thread need not parse.
 * One that ended within the day before may still defer others.
 * @throws AppError `impossible` if there are too many
 */
export async function readPast(trx: Database, fromMs: number, toMs: number): Promise<string[]> {
  const parts: string[] = [];
  let afterId = "";
  for (let count = partSize; count === partSize;) {
    const found = await trx.raw<{ rows: { part: string; count: number; lastId: string | null }[] }>(
      `with chosen as (
         select * from incidents
         where drill_id is null and opened_at_ms < :toMs and coalesce(closed_at_ms >= :sinceMs, true) and id > :afterId
         order by id limit ${partSize}
       )
       select coalesce(jsonb_agg(${row}), '[]')::text as part, count(*)::integer, max(id) as last_id from chosen`,
      { toMs, sinceMs: fromMs - dayMs, afterId },
    );
    const { part, lastId, ...counted } = found.rows[0]!;
    count = counted.count;
    afterId = lastId ?? "";
    parts.push(part);
    if (parts.length * partSize > maxIncidents) {
      const params = { max: maxIncidents };
      throw new AppError("impossible", "This period has more than {max} incidents: choose a shorter one", { params });
    }
  }
  return parts;
}

/** A `PastIncident` (rehearse.ts). */
const row = `jsonb_build_object(
  'id', id, 'targetType', target_type, 'targetId', target_id, 'targetName', target_name, 'kind', kind,
  'metric', metric, 'cause', '', 'openedAtMs', opened_at_ms, 'closedAtMs', closed_at_ms, 'resolution', resolution,
  'flaps', flaps, 'acknowledgedAtMs', acknowledged_at_ms, 'acknowledgedBy', acknowledged_by, 'revision', revision,
  'reminders', 0, 'drillId', null,
  'facts', jsonb_strip_nulls(jsonb_build_object(
    'tags', facts->'tags', 'dependsOn', facts->'dependsOn', 'hosts', facts->'hosts',
    'intervalMs', facts->'intervalMs', 'severity', facts->'severity'
  )),
  'changes', (
    select jsonb_agg(jsonb_build_array(name, at_ms, incident_changes.id, value) order by incident_changes.id)
    from incident_changes where incident_id = chosen.id
  ),
  'sent', (
    select jsonb_agg(jsonb_build_array(
      decisions.moment, decisions.channel_id, at_ms, channel_name,
      case when deliveries.status = 'failed' and not exists (
        select from attempts
        where attempts.message_id = deliveries.message_id and (ended_at_ms is null or in_doubt)
      ) then settled_at_ms end
    ))
    from decisions
    left join alerts on alerts.incident_id = decisions.incident_id and alerts.moment = decisions.moment
    left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = decisions.channel_id
    left join messages on messages.id = deliveries.message_id
    where decisions.incident_id = chosen.id and outcome = 'sent' and decisions.channel_id is not null
  )
)`;
