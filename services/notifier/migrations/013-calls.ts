import type { Database } from "@sonde/kit/postgres/database";

/** Phone calls of messages. Instants are epoch milliseconds. */
export const callsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table calls (
        -- Hash of the reference in the addresses that the provider requests.
        reference text primary key,
        message_id bigint not null references messages on delete cascade,
        started_at_ms bigint not null,
        -- The call ended, or its key was pressed.
        ended_at_ms bigint
      );
      create index calls_of_message on calls (message_id)
    `),
};
