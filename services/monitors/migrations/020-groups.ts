import { sqlMigration } from "@sonde/kit/postgres/database";

export const groupsMigration = sqlMigration(`
  -- Changes of status or tags of monitors, from which groups are decided; kept for a day.
  create table status_changes (
    id bigint generated always as identity primary key,
    monitor_id integer not null references monitors on delete cascade,
    at_ms bigint not null,
    previous text not null,
    -- A status, or 'deleted'.
    status text not null,
    -- Those before the change and after it.
    tags text[] not null,
    is_decided boolean not null default false
  );
  create index status_changes_of_monitor on status_changes (monitor_id, at_ms);
  create index status_changes_undecided on status_changes (id) where not is_decided;
  create table group_spans (
    id bigint generated always as identity primary key,
    group_id integer not null references monitors on delete cascade,
    from_ms bigint not null,
    state text not null,
    -- Why it was down.
    cause text
  );
  create index group_spans_in_order on group_spans (group_id, from_ms);
  create index monitors_groups on monitors (id) where config->>'type' = 'group' and deleted_at_ms is null;
`);
