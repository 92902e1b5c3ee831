import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import { type SealedRow, sealRows } from "@sonde/kit/postgres/sealed-rows";
import type { SecretBox } from "@sonde/kit/secrets";
import type { Log } from "@sonde/kit/service/log";
import type { StoredCheck } from "./monitor.ts";
import { monitorKeys } from "./projections.ts";
import { isSealedByFirstKey, sealByFirstKey } from "./stored-check.ts";

/**
 * Seals by the first key what was stored in the clear before it counted as secret, or sealed by an older key: only the
 * service has keys, so no migration can do it. What is checked stays the same, so version and state stay too; the revision
 * rises, so that the definitions for runners are written again.
 * @param savedSinceMs looks at monitors saved since then alone
 * @returns how many monitors changed
 */
export const sealChecks = (
  { db, log, secrets }: { db: Database; log: Log; secrets: SecretBox },
  savedSinceMs?: number,
): Promise<number> =>
  sealRows<StoredCheck>({
    db,
    log,
    table: "monitors",
    savedSinceMs,
    hasTombstones: true,
    seal: (config) => sealByFirstKey(secrets, config),
    isCurrent: (config) => isSealedByFirstKey(secrets, config),
    write,
  });

async function write(trx: Database, rows: readonly SealedRow<StoredCheck>[]): Promise<void> {
  const { rows: written } = await trx.raw<{ rows: { id: number; locations: string[] }[] }>(
    `update monitors set config = given.config, revision = nextval('revisions')
     from unnest(?::int[], ?::jsonb[]) as given (id, config) where monitors.id = given.id
     returning monitors.id, monitors.locations`,
    [rows.map(({ id }) => id), rows.map(({ config }) => JSON.stringify(config))],
  );
  await enqueueKeys(
    trx,
    written.flatMap(({ id, locations }) => monitorKeys(id, locations)),
  );
}
