import type { Database } from "@sonde/kit/postgres/database";

/** Changes reported by people and CI, which may explain incidents. */
export const changesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      create table changes (
        id integer generated always as identity primary key,
        title text not null,
        link text,
        tags jsonb not null,
        at_ms bigint not null,
        created_by text not null
      );
      create index changes_by_time on changes (at_ms, id);
    `),
};
