import type { Database } from "@sonde/kit/postgres/database";

/** What a list of sessions shows: unknown of those that are open already. Instants are epoch milliseconds. */
export const knownSessionsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table sessions
        add column id integer generated always as identity unique,
        add column started_at_ms bigint,
        add column address text,
        add column client text
    `),
};
