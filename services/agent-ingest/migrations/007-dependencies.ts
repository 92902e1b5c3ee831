import type { Database } from "@sonde/kit/postgres/database";

/** What an agent's host needs in order to work. */
export const dependenciesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table agents
        -- [{"type": "monitor" | "agent", "id": 12}]; what is not there any more counts for nothing.
        add column depends_on jsonb not null default '[]';
    `),
};
