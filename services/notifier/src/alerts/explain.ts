import { orUnavailable, type Database } from "@sonde/kit/postgres/database";
import type { IncidentExplanation, ExplainedDecision } from "@sonde/proto/rpc/notifications";
import type { Context } from "../context.ts";
import { deliveriesOf } from "../deliveries/list.ts";

/**
 * Why each channel was, or was not, notified of an incident, by moment, and the result, sorted by time. Empty for an
 * unknown incident.
 */
export async function explainIncident(
  { db }: Pick<Context, "db">,
  { incidentId }: { incidentId: string },
): Promise<IncidentExplanation> {
  const [rows, incident, deliveries] = await orUnavailable(() =>
    Promise.all([
      explainDecisions(db, incidentId),
      db("incidents").where({ id: incidentId }).first<{ due: number | null }>("reminder_due_at_ms as due"),
      deliveriesOf(db, { incidentId }),
    ]),
  );
  const decisions = rows.map((row) => ({
    moment: row.moment,
    at: instant(row.atMs),
    channelId: row.channelId ?? undefined,
    channelName: row.channelName ?? "",
    outcome: row.outcome,
    reason: row.reason,
    until: row.untilMs === null ? undefined : instant(row.untilMs),
    parentIncidentId: row.parentIncidentId ?? undefined,
    parentName: row.parentName ?? undefined,
    deliveryId: row.deliveryId ?? undefined,
  }));
  const dueMs = incident?.due ?? null;
  return { decisions, deliveries, nextReminderAt: dueMs === null ? undefined : instant(dueMs) };
}

const instant = (ms: number) => new Date(ms).toISOString();

type ExplainedRow = {
  moment: string;
  atMs: number;
  channelId: number | null;
  channelName: string | null;
  outcome: ExplainedDecision["outcome"];
  reason: ExplainedDecision["reason"];
  untilMs: number | null;
  parentIncidentId: string | null;
  parentName: string | null;
  deliveryId: number | null;
};

/** The most that fit into one message; a long incident has ever more reminders. */
const most = 1_000;

/**
 * Decisions about an incident by time: those of its opening, and the newest of the others. A deleted channel keeps its
 * name if something was sent to it.
 */
async function explainDecisions(db: Database, incidentId: string): Promise<ExplainedRow[]> {
  const { rows } = await db.raw<{ rows: ExplainedRow[] }>(
    `with chosen as (
       select * from decisions where incident_id = ? order by moment = 'opened' desc, id desc limit ${most}
     )
     select chosen.moment, chosen.at_ms, chosen.channel_id, coalesce(channels.name, deliveries.channel_name) as channel_name,
       outcome, reason, until_ms, parent_incident_id, parents.target_name as parent_name, deliveries.id as delivery_id
     from chosen
     left join channels on channels.id = chosen.channel_id
     left join incidents as parents on parents.id = chosen.parent_incident_id
     left join alerts on alerts.incident_id = chosen.incident_id and alerts.moment = chosen.moment
     left join deliveries on deliveries.alert_id = alerts.id and deliveries.channel_id = chosen.channel_id
     order by chosen.at_ms, chosen.id`,
    [incidentId],
  );
  return rows;
}
