import type { Database } from "@sonde/kit/postgres/database";

/** Saved views of the list of monitors, one row per user. */
export const viewsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table views (
        user_id integer primary key references users on delete cascade,
        views jsonb not null
      )
    `),
};
