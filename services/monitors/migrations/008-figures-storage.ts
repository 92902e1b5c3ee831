import type { Database } from "@sonde/kit/postgres/database";

/**
 * Figures and positions are few rows that change again and again. With room on its page a new version of a row needs no
 * new entry in the index and takes the place of an old one, so that there is little for a vacuum to do: by the defaults
 * it would come, and write, each minute.
 */
export const figuresStorageMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw(`
      alter table figures set
        (fillfactor = 45, autovacuum_vacuum_scale_factor = 10, autovacuum_analyze_scale_factor = 10);
      alter table positions set (autovacuum_vacuum_threshold = 2000, autovacuum_analyze_threshold = 2000);
    `),
};
