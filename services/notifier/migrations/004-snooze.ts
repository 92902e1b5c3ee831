import type { Database } from "@sonde/kit/postgres/database";

/** Until when an incident is snoozed, and which state of that and of its acknowledgement the newest event had. */
export const snoozeMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("alter table incidents add column snoozed_until_ms bigint, add column revision integer not null default 0"),
};
