import type { Database } from "@sonde/kit/postgres/database";

/** The self-watch: its next call, its lease, and what prevents the call. One row. */
export const selfWatchMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      create table self_watch (
        is_only boolean primary key default true check (is_only),
        due_at_ms bigint not null default 0,
        -- Lease of the process that checks and calls.
        lease text,
        lease_until_ms bigint not null default 0,
        -- Names of the checks that failed last time.
        reasons text[] not null default '{}'
      );
      insert into self_watch default values;
    `);
  },
};
