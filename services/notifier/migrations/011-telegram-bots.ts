import type { Database } from "@sonde/kit/postgres/database";

/** Bots whose buttons one process receives. */
export const telegramBotsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table telegram_bots (
        -- Hash of the API server and the token.
        key text primary key,
        lease text,
        lease_until_ms bigint not null,
        -- Whether the last request for taps worked, so that messages may have buttons.
        works boolean not null default false
      )
    `),
};
