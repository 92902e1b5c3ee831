import { sqlMigration } from "@sonde/kit/postgres/database";

export const sharedCausesMigration = sqlMigration(`
  -- Where the newest successful and the newest failed check of each location found its target.
  create table fingerprints (
    monitor_id integer not null references monitors on delete cascade,
    location text not null,
    -- up, down
    status text not null,
    version integer not null,
    at_ms bigint not null,
    facts text[] not null,
    primary key (monitor_id, location, status)
  );
  create table shared_causes (
    id integer generated always as identity primary key,
    fact text not null,
    value text not null,
    sharing integer not null,
    failing integer not null,
    healthy integer not null
  );
  create table shared_cause_incidents (
    incident_id integer primary key references incidents on delete cascade,
    cause_id integer not null references shared_causes on delete cascade
  );
  create index shared_cause_incidents_of_cause on shared_cause_incidents (cause_id);
`);
