import type { Database } from "@sonde/kit/postgres/database";

/** What a monitor is, in plain text: shown below its name. */
export const descriptionMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`alter table monitors add column description text not null default ''`),
};
