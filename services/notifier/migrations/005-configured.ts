import type { Database } from "@sonde/kit/postgres/database";

/** When the channel's configuration last changed. Earlier deliveries do not affect its health. */
export const configuredMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("alter table channels add column configured_at_ms bigint not null default 0"),
};
