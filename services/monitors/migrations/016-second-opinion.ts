import type { Database } from "@sonde/kit/postgres/database";

/** What others saw of failures. Columns of `figures` may be null: the version before writes none. */
export const secondOpinionMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table monitors add column confirm jsonb;
      alter table figures add column suspicion jsonb, add column partial boolean;
      -- What holds for all monitors that have nothing of their own.
      create table defaults (name text primary key, value jsonb not null);
      create table opinions (
        incident_id integer not null references incidents on delete cascade,
        at_ms bigint not null,
        location text not null,
        status text not null,
        error text,
        primary key (incident_id, location, at_ms)
      );
    `),
};
