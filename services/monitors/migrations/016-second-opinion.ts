import type { Database } from "@sonde/kit/postgres/database";

/** Columns of `figures` may be null, because the previous version writes none. */
export const secondOpinionMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table monitors add column confirm jsonb;
      alter table figures add column suspicion jsonb, add column partial boolean;
      -- Defaults of all monitors without their own value.
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
