import type { Database } from "@sonde/kit/postgres/database";

export const maintenanceTagsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table windows
        add column tags text[] not null default '{}',
        -- The monitors and agents that had one of the tags when the services were last asked.
        add column tagged_monitor_ids integer[] not null default '{}',
        add column tagged_agent_ids integer[] not null default '{}';
    `),
};
