import type { Database } from "@sonde/kit/postgres/database";
import type { Alerted, Parent } from "./bill.ts";
import type { NotifiedQuarter } from "./nights.ts";

const maxMonitors = 20;
const maxIncidents = 500;
const maxOutages = 20_000;

export type NoisyTarget = { id: number; name: string; intervalMs: number; incidents: Alerted[] };

/** Returns the monitors with the most delivered alerts, each with its newest incidents in order. */
export async function readNoisiest(db: Database, fromMs: number, toMs: number): Promise<NoisyTarget[]> {
  const { rows } = await db.raw<{ rows: NoisyTarget[] }>(
    `with alerted as (
       select incidents.target_id, incidents.target_name, opened_at_ms, closed_at_ms, count(deliveries.id) as alerts,
         coalesce((facts->>'intervalMs')::float8, 0) as interval_ms,
         row_number() over (partition by incidents.target_id order by opened_at_ms desc) as nth
       from incidents
       left join deliveries on deliveries.incident_id = incidents.id and deliveries.status = 'delivered'
       where incidents.target_type = 'monitor' and drill_id is null and incidents.kind = 'down'
         and opened_at_ms between :fromMs and :toMs
       group by incidents.id
     ), noisy as (
       select target_id, sum(alerts) as total from alerted
       group by 1 having sum(alerts) > 0 order by 2 desc, 1 limit ${maxMonitors}
     )
     select target_id as id, max(target_name) filter (where nth = 1) as name, max(interval_ms) as interval_ms,
       json_agg(json_build_object(
         'openedAtMs', opened_at_ms, 'closedAtMs', closed_at_ms, 'alerts', alerts
       ) order by opened_at_ms) as incidents
     from alerted join noisy using (target_id) where nth <= ${maxIncidents}
     group by target_id, total order by total desc, target_id`,
    { fromMs, toMs },
  );
  return rows;
}

/** Returns targets that were down or offline. Not heartbeats, inbound monitors and groups: they know it later than others. */
export async function readParents(db: Database, fromMs: number, toMs: number): Promise<Parent[]> {
  const { rows } = await db.raw<{ rows: Parent[] }>(
    `select target as key, (array_agg(target_name order by opened_at_ms desc))[1] as name,
       json_agg(depends_on order by opened_at_ms desc)->0 as depends_on,
       json_agg(json_build_object('openedAtMs', opened_at_ms, 'closedAtMs', closed_at_ms) order by opened_at_ms) as outages
     from (
       select * from incidents
       where drill_id is null and kind in ('down', 'offline') and opened_at_ms < :toMs
         and coalesce(closed_at_ms, :toMs) > :fromMs and (target_type = 'agent' or coalesce(facts->>'target', '') <> '')
       order by opened_at_ms desc limit ${maxOutages}
     ) as newest
     group by target order by max(opened_at_ms) desc`,
    { fromMs, toMs },
  );
  return rows;
}

/** Notifications that users' own contacts received, tests excluded. */
export const readNotifiedQuarters = async (db: Database, fromMs: number, toMs: number): Promise<NotifiedQuarter[]> => {
  const { rows } = await db.raw<{ rows: NotifiedQuarter[] }>(
    `select channels.user_id, settled_at_ms / 900000 as quarter, count(distinct messages.id) as notifications
     from channels
     join deliveries on deliveries.channel_id = channels.id and deliveries.status = 'delivered'
     join messages on messages.id = deliveries.message_id
     where channels.user_id is not null and deliveries.incident_id is not null
       and settled_at_ms between :fromMs and :toMs
     group by 1, 2`,
    { fromMs, toMs },
  );
  return rows;
};
