import type { Database } from "@sonde/kit/postgres/database";

/** A silence is a window without occurrences, so code that reads occurrences, also older, ignores it. */
export const silencesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table windows
        add column is_silence boolean not null default false,
        -- For silences: who created it, and the tag whose monitors it covers.
        add column created_by text not null default '', add column tag text;
      create index silences_by_end on windows (end_ms) where is_silence;
    `),
};
