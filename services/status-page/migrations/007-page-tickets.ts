import type { Database } from "@sonde/kit/postgres/database";

export const pageTicketsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      -- Members' tickets that were exchanged for a cookie, until they expire.
      create table page_tickets (
        id text primary key,
        expires_at_ms bigint not null
      );
    `),
};
