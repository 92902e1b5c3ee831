import type { Database } from "@sonde/kit/postgres/database";

/** Keeps recent changes of state, so that a flapping monitor has one incident. */
export const flappingMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      alter table monitors
        -- Times of the last ten changes between down and not down, newest last.
        add column changes_ms bigint[] not null default '{}',
        -- null: not flapping.
        add column flapping_since_ms bigint;
      -- Number of times the target went down again while the incident was open.
      alter table incidents add column flaps integer not null default 0;
      create index incidents_by_closing on incidents (closed_at_ms) where closed_at_ms is not null;
    `);
  },
};
