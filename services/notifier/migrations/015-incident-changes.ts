import type { Database } from "@sonde/kit/postgres/database";

/** What happened to incidents and when it was decided, so that it can be rehearsed with other settings. */
export const incidentChangesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table incident_changes (
        id bigint generated always as identity primary key,
        incident_id text not null references incidents on delete cascade,
        -- A ChangeName, or 'escalated': a user asked for the next step.
        name text not null,
        at_ms bigint not null,
        -- RecordedChange (src/rehearsal/recorded.ts).
        value jsonb not null
      );
      create index changes_of_incident on incident_changes (incident_id);
    `),
};
