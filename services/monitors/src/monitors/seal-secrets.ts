import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import type { StoredCheck } from "./monitor.ts";
import { monitorKeys } from "./projections.ts";
import { sealOpenTexts } from "./stored-check.ts";

type Row = { id: number; config: StoredCheck; locations: string[] };

/** So few at once that other replicas and the loop wait for milliseconds only. */
const atOnce = 50;

/**
 * Seals texts that were stored in the clear before they counted as secret. Runs at each start: only
 * the service has the key, so no migration can do it. What is checked stays the same, so version and state stay
 * too; the revision rises, so that the definitions for runners are written anew. Answers how many monitors changed.
 */
export async function sealOpenSecrets(db: Database, secrets: SecretBox): Promise<number> {
  let changed = 0;
  for (let afterId = 0; ;) {
    const rows = await page(db, afterId);
    const open = rows.filter(({ config }) => sealOpenTexts(secrets, config) !== null).map(({ id }) => id);
    if (open.length > 0) changed += await db.transaction((trx) => sealRows(trx, secrets, open));
    const last = rows.at(-1);
    if (last === undefined) return changed;
    afterId = last.id;
  }
}

function page(db: Database, afterId: number): Promise<Omit<Row, "locations">[]> {
  return db<Row>("monitors")
    .select("id", "config")
    .where("id", ">", afterId)
    .whereNull("deleted_at_ms")
    .orderBy("id")
    .limit(atOnce);
}

async function sealRows(trx: Database, secrets: SecretBox, ids: number[]): Promise<number> {
  const rows = await trx<Row>("monitors")
    .select("id", "config", "locations")
    .whereRaw("id = any(?)", [ids])
    .forUpdate();
  const sealed = rows.flatMap(({ id, config, locations }) => {
    const check = sealOpenTexts(secrets, config);
    return check === null ? [] : [{ id, check, locations }];
  });
  for (const { id, check } of sealed) {
    const row = { config: JSON.stringify(check), revision: trx.raw("nextval('revisions')") };
    await trx("monitors").where({ id }).update(row);
  }
  await enqueueKeys(
    trx,
    sealed.flatMap(({ id, locations }) => monitorKeys(id, locations)),
  );
  return sealed.length;
}
