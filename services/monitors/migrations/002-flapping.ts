import type { Database } from "@sonde/kit/postgres/database";

/** Remembers a monitor's newest changes of state, so that one that flaps keeps one incident. */
export const flappingMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw(`
      alter table monitors
        -- When its newest changes between down and not down were, the newest last; at most ten.
        add column changes_ms bigint[] not null default '{}',
        -- null: it does not flap.
        add column flapping_since_ms bigint;
      -- How often the target went down again while the incident was open.
      alter table incidents add column flaps integer not null default 0;
      create index incidents_by_closing on incidents (closed_at_ms) where closed_at_ms is not null;
    `);
  },
};
