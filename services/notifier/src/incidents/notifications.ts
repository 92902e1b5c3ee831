import type { Database } from "@sonde/kit/postgres/database";
import type { AlertReason } from "@sonde/proto/http/incidents/alerts";
import type { Delivery } from "@sonde/proto/http/notifications/deliveries";
import { deliveriesOf } from "../deliveries/list.ts";

/** Why a channel was, or was not, notified of one moment of an incident. */
export type RecordedDecision = {
  /** opened, closed; with a number after a colon, which distinguishes several: flapping, steady, reminder:3 */
  moment: string;
  atMs: number;
  /** Null: of no channel in particular. */
  channelId: number | null;
  /** Null of a deleted channel to which nothing was sent. */
  channelName: string | null;
  outcome: "sent" | "held" | "skipped";
  reason: AlertReason;
  /** When what is held is decided again. */
  untilMs: number | null;
  /** The target whose incident is the reason. */
  parentName: string | null;
};

/** What is recorded of the notifications of one incident. */
export type RecordedNotifications = {
  /** By time. */
  decisions: RecordedDecision[];
  /** Newest first. */
  deliveries: Delivery[];
  /** All that there are. */
  channels: { id: number; name: string }[];
  reminderDueAtMs: number | null;
};

/** Reads the decisions about an incident, and what became of them; empty for one that is not known. */
export async function notificationsOf(db: Database, incidentId: string): Promise<RecordedNotifications> {
  const [decisions, deliveries, channels, incident] = await Promise.all([
    decisionsOf(db, incidentId),
    deliveriesOf(db, { incidentId }),
    db("channels").orderBy("id").select<RecordedNotifications["channels"]>("id", "name"),
    db("incidents").where({ id: incidentId }).first<{ due: number | null } | undefined>("reminder_due_at_ms as due"),
  ]);
  return { decisions, deliveries, channels, reminderDueAtMs: incident?.due ?? null };
}

/** A long incident has ever more reminders: those of its opening, and the newest of the others. */
const most = 1_000;

/** A deleted channel keeps its name if something was sent to it. */
async function decisionsOf(db: Database, incidentId: string): Promise<RecordedDecision[]> {
  const { rows } = await db.raw<{ rows: RecordedDecision[] }>(
    `with chosen as (
       select * from decisions where incident_id = ? order by moment = 'opened' desc, id desc limit ${most}
     )
     select chosen.moment, chosen.at_ms, chosen.channel_id, coalesce(channels.name, deliveries.channel_name) as channel_name,
       outcome, reason, until_ms, parents.target_name as parent_name
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
