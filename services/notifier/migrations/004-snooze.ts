import type { Database } from "@sonde/kit/postgres/database";

/** End of the snooze, and the revision of snooze and acknowledgement in the newest event. */
export const snoozeMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("alter table incidents add column snoozed_until_ms bigint, add column revision integer not null default 0"),
};
