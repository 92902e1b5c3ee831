import type { Database } from "@sonde/kit/postgres/database";
import type { AlertFacts } from "./alert.ts";
import type { AlertMoment } from "./moment.ts";

export type StoredAlert = { id: number; facts: AlertFacts };

/** Adds alerts, each with its facts; an alert that exists already keeps its facts. Returns them in the order given. */
export async function saveAlerts(
  trx: Database,
  alerts: readonly { incidentId: string; moment: AlertMoment; facts: AlertFacts }[],
): Promise<StoredAlert[]> {
  const given = alerts.map(({ incidentId, moment, facts }) => ({
    incident_id: incidentId,
    moment,
    kind: facts.kind,
    facts,
    created_at_ms: facts.atMs,
  }));
  const { rows } = await trx.raw<{ rows: { id: number; facts: AlertFacts }[] }>(
    `with given as (
       select * from rows from (
         jsonb_to_recordset(?::jsonb)
         as (incident_id text, moment text, kind text, facts jsonb, created_at_ms bigint)
       ) with ordinality as given (incident_id, moment, kind, facts, created_at_ms, place)
     ), added as (
       insert into alerts (incident_id, moment, kind, facts, created_at_ms)
       select incident_id, moment, kind, facts, created_at_ms from given order by place
       on conflict (incident_id, moment) do nothing
       returning id, incident_id, moment, facts
     )
     select coalesce(added.id, alerts.id) as id, coalesce(added.facts, alerts.facts) as facts
     from given
     left join added using (incident_id, moment)
     left join alerts using (incident_id, moment)
     order by place`,
    [JSON.stringify(given)],
  );
  return rows;
}
