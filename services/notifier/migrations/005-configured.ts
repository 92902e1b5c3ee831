import type { Database } from "@sonde/kit/postgres/database";

/** When the configuration of a channel changed last: what was sent before says nothing of how it does now. */
export const configuredMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("alter table channels add column configured_at_ms bigint not null default 0"),
};
