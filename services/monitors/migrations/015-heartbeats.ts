import type { Database } from "@sonde/kit/postgres/database";

/** Times are epoch milliseconds. */
export const heartbeatsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table heartbeats (
        monitor_id integer primary key references monitors on delete cascade,
        -- The last part of its address, sealed.
        address text not null,
        -- When it was created or resumed; earlier pings are ignored.
        since_ms bigint not null,
        -- src/heartbeats/state.ts; null before the first ping.
        state jsonb
      ) with (fillfactor = 60);

      -- Hashes of the last parts of addresses, mirrored in a bucket. A row without a monitor is the ping key.
      create table ping_targets (
        hash text primary key,
        role text not null check (role in ('address', 'previous', 'slug', 'key')),
        monitor_id integer references monitors on delete cascade,
        revision bigint not null,
        -- Expiry of a previous address.
        until_ms bigint,
        creates boolean not null default false,
        -- A tombstone, kept for a day until every watcher has seen it.
        deleted_at_ms bigint
      );
      create index ping_targets_of_monitor on ping_targets (monitor_id);

      -- At most one row.
      create table ping_keys (
        single boolean primary key default true check (single),
        key text not null,
        creates boolean not null
      );

      create unique index monitors_by_slug on monitors ((config->>'slug'))
        where deleted_at_ms is null and config->>'slug' is not null;

      -- Position in PINGS, and since when it has no gap (src/heartbeats/coverage.ts).
      create table heartbeat_positions (
        partition integer primary key,
        stream_created text not null,
        sequence bigint not null,
        covered_since_ms bigint,
        heard_ms bigint
      );
      alter table heartbeat_positions set (autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000);
    `),
};
