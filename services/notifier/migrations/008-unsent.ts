import type { Database } from "@sonde/kit/postgres/database";

/** For the list of alerts that were not sent. */
export const unsentMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("create index decisions_not_sent on decisions (at_ms desc, id desc) where outcome <> 'sent'"),
};
