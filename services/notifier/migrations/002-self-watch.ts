import type { Database } from "@sonde/kit/postgres/database";

/** When the outside address of the self-watch is called next, by whom, and what holds the call back. One row. */
export const selfWatchMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      create table self_watch (
        is_only boolean primary key default true check (is_only),
        due_at_ms bigint not null default 0,
        -- Who looks and calls now, and until when that is believed.
        lease text,
        lease_until_ms bigint not null default 0,
        -- Names of what did not work when it was looked at last.
        reasons text[] not null default '{}'
      );
      insert into self_watch default values;
    `);
  },
};
