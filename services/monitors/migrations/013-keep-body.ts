import type { Database } from "@sonde/kit/postgres/database";

/** Whether evidence of failures may hold what the target answered. */
export const keepBodyMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`alter table monitors add column keep_body boolean not null default true`),
};
