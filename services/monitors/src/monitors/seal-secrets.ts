import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import { type SealedTexts, sealedWithin } from "@sonde/kit/postgres/known-key";
import type { Database } from "@sonde/kit/postgres/database";
import { type SealedRow, sealRows } from "@sonde/kit/postgres/sealed-rows";
import { hasFormerSeal } from "@sonde/domain/sealed-config";
import { type SecretBox, secretContexts } from "@sonde/kit/secrets";
import type { Log } from "@sonde/kit/service/log";
import type { StoredCheck } from "./monitor.ts";
import { monitorKeys } from "./projections.ts";
import { isSealedByFirstKey, sealByFirstKey } from "./stored-check.ts";

export const sealedTexts: readonly SealedTexts[] = [
  sealedWithin("monitors"),
  "select address as sealed from heartbeats",
  "select key as sealed from ping_keys",
].map((query) => ({ context: secretContexts.check, query }));

/**
 * Reseals secrets that an older key sealed or that were stored in the clear before they counted as secret. Version
 * and state stay; the revision rises, so that the definitions for runners are rewritten.
 * @param former include secrets sealed by version 0.1.0, whose replicas cannot read them afterwards
 * @returns the number of changed monitors
 */
export const sealChecks = (
  { db, log, secrets }: { db: Database; log: Log; secrets: SecretBox },
  former: boolean,
): Promise<number> =>
  sealRows<StoredCheck>({
    db,
    log,
    table: "monitors",
    hasTombstones: true,
    seal: (config) => (isSkipped(config, former) ? null : sealByFirstKey(secrets, config)),
    isCurrent: (config) => isSkipped(config, former) || isSealedByFirstKey(secrets, config),
    write,
  });

const isSkipped = (config: StoredCheck, former: boolean) => !former && hasFormerSeal(config);

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
