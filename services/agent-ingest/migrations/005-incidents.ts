import type { Database } from "@sonde/kit/postgres/database";

/** Converts incidents to the shape that all services share (domain/incidents/table.ts). */
export const incidentsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table incidents rename column agent_id to target_id;
      alter table incidents alter column metric set default '';
      alter table incidents drop constraint incidents_kind_check;
      drop index incidents_newest_first, incidents_of_agent;
      create index incidents_open_first on incidents
        ((case when closed_at_ms is null then -1000000000000000 else 0 end - opened_at_ms), (-id));
      create index incidents_newest_first on incidents ((-opened_at_ms), (-id));
      create index incidents_of_target on incidents (target_id, opened_at_ms desc);
    `),
};
