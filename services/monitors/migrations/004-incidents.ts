import type { Database } from "@sonde/kit/postgres/database";

/** Converts incidents to the shape that all services share (domain/incidents/table.ts). */
export const incidentsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table incidents rename column monitor_id to target_id;
      alter table incidents add column metric text not null default '';
      drop index one_open_incident, incidents_newest_first, incidents_of_monitor;
      create unique index one_open_incident on incidents (target_id, kind, metric) where closed_at_ms is null;
      create index incidents_open_first on incidents
        ((case when closed_at_ms is null then -1000000000000000 else 0 end - opened_at_ms), (-id));
      create index incidents_newest_first on incidents ((-opened_at_ms), (-id));
      create index incidents_of_target on incidents (target_id, opened_at_ms desc);
    `),
};
