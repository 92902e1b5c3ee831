import type { Database } from "@sonde/kit/postgres/database";

/**
 * A silence is a window without occurrences, from its start to its end: what reads occurrences, this version's or the one
 * before, sees nothing that it covers.
 */
export const silencesMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table windows
        add column is_silence boolean not null default false,
        -- Of a silence: who began it, and the tag whose monitors it names.
        add column created_by text not null default '', add column tag text;
      create index silences_by_end on windows (end_ms) where is_silence;
    `),
};
