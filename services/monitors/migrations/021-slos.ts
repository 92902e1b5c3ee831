import { sqlMigration } from "@sonde/kit/postgres/database";

export const slosMigration = sqlMigration(`
  create table slos (
    id integer generated always as identity primary key,
    name text not null,
    -- The other fields; targets are ids of monitors.
    value jsonb not null,
    created_at_ms bigint not null,
    updated_at_ms bigint not null,
    -- Until then its incident stays open; null if no rule was true since its last change.
    burning_until_ms bigint
  );
  create index incidents_of_slos on incidents (metric) where kind = 'slo' and closed_at_ms is null;
`);
