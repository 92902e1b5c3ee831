import type { Database } from "@sonde/kit/postgres/database";

/**
 * Tokens can be listed and revoked, and know who made them; those of before know nobody. Remembers when an agent's
 * incidents were last held back for being too many.
 */
export const openTokensMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table tokens add column id integer generated always as identity unique;
      alter table tokens add column created_by integer;
      alter table tokens add column created_by_name text;
      alter table agents add column incidents_held_back_at_ms bigint;
    `),
};
