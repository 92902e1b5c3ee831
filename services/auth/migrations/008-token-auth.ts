import type { Database } from "@sonde/kit/postgres/database";

/** How to send the client secret to a provider's token endpoint; null to follow the provider's metadata. */
export const tokenAuthMigration = {
  up: (trx: Database): Promise<unknown> => trx.raw("alter table providers add column token_auth text"),
};
