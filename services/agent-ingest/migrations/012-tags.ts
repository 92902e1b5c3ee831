import type { Database } from "@sonde/kit/postgres/database";

/** What people sort agents by, as they do with monitors. */
export const tagsMigration = {
  up: (trx: Database): Promise<unknown> => trx.raw("alter table agents add column tags text[] not null default '{}'"),
};
