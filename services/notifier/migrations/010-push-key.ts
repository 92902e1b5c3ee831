import type { Database } from "@sonde/kit/postgres/database";

/** The installation's key pair for push messages (RFC 8292). One row, with id 1. */
export const pushKeyMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table push_key (
        id integer primary key,
        -- Public key, and the sealed private key.
        config jsonb not null
      )
    `),
};
