import type { Database } from "@sonde/kit/postgres/database";

/** What a monitor needs in order to work, and what helps whoever is told of its incidents. */
export const dependenciesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table monitors
        -- [{"type": "monitor" | "agent", "id": 12}]; what is not there any more counts for nothing.
        add column depends_on jsonb not null default '[]',
        -- Markdown; '': none.
        add column note text not null default '';
    `),
};
