import type { Database } from "@sonde/kit/postgres/database";

/** How a provider's token endpoint takes the client's secret; null: as the provider's metadata says. */
export const tokenAuthMigration = {
  up: (trx: Database): Promise<unknown> => trx.raw("alter table providers add column token_auth text"),
};
