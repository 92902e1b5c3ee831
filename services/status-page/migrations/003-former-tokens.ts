import type { Database } from "@sonde/kit/postgres/database";

/** Links that end a subscription, in mails from before the key of this installation was changed. */
export const formerTokensMigration = {
  async up(trx: Database): Promise<void> {
    await trx.raw("alter table subscribers add column former_unsubscribe_hash bytea unique");
  },
};
