import type { Database } from "@sonde/kit/postgres/database";

/** A silence is an incident now: those that were told before are told once more, which opens theirs. */
export const staleIncidentsMigration = {
  up: (trx: Database): Promise<unknown> =>
    trx.raw("update monitors set stale_since_ms = null where stale_since_ms is not null"),
};
