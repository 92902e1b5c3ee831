import type { Database } from "@sonde/kit/postgres/database";

/** Counts how often a metric went above its threshold again while its incident was open; lets old incidents be found. */
export const flappingMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table incidents add column flaps integer not null default 0;
      create index incidents_by_closing on incidents (closed_at_ms) where closed_at_ms is not null;
    `),
};
