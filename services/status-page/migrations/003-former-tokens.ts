import type { Database } from "@sonde/kit/postgres/database";

/** Unsubscribe links in mails from before the installation's key changed. */
export const formerTokensMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw("alter table subscribers add column former_unsubscribe_hash bytea unique");
  },
};
