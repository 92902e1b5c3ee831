import type { Database } from "@sonde/kit/postgres/database";

/** Remembers when samples by an agent's key last came in turns from two machines. */
export const duplicateKeysMigration = {
  up: (trx: Database): Promise<unknown> => trx.raw("alter table agents add column duplicate_key_at_ms bigint"),
};
