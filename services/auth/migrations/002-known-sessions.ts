import type { Database } from "@sonde/kit/postgres/database";

/** Details for the list of sessions; null for sessions opened by earlier versions. Times are epoch milliseconds. */
export const sessionDetailsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table sessions
        add column id integer generated always as identity unique,
        add column started_at_ms bigint,
        add column address text,
        add column client text
    `),
};
