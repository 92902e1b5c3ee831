import { enqueueKeys } from "@sonde/kit/postgres/outbox";
import type { Database } from "@sonde/kit/postgres/database";
import type { SecretBox } from "@sonde/kit/secrets";
import { isSecretHeader } from "@sonde/proto/http/monitors";
import { buckets } from "@sonde/proto/streams";
import type { StoredHeader } from "./monitor.ts";
import { sealHeader } from "./secret-headers.ts";

type Row = { id: number; headers: StoredHeader[] };

/** So few at once that other replicas and the loop wait for milliseconds only. */
const atOnce = 50;

/**
 * Seals header values that were stored in the clear before their names counted as secret. Runs at each start: only
 * the service has the key, so no migration in SQL can do it. What is checked stays the same, so version and state stay
 * too; the revision rises, so that the definitions for runners are written anew. Answers how many monitors changed.
 */
export async function sealOpenHeaders(db: Database, secrets: SecretBox): Promise<number> {
  const isOpen = ({ name, secret }: StoredHeader) => !secret && isSecretHeader(name);
  let changed = 0;
  for (let afterId = 0; ;) {
    const last = await db.transaction(async (trx) => {
      const rows = await trx<Row>("monitors")
        .select("id", "headers")
        .where("id", ">", afterId)
        .whereNull("deleted_at_ms")
        .whereRaw(`headers @> '[{"secret": false}]'`)
        .orderBy("id")
        .limit(atOnce)
        .forUpdate();
      const open = rows.filter(({ headers }) => headers.some(isOpen));
      for (const { id, headers } of open) {
        const sealed = headers.map((header) => (isOpen(header) ? sealHeader(secrets, header) : header));
        await trx("monitors")
          .where({ id })
          .update({ headers: JSON.stringify(sealed), revision: trx.raw("nextval('revisions')") });
      }
      await enqueueKeys(
        trx,
        open.map(({ id }) => ({ bucket: buckets.monitors, key: String(id) })),
      );
      changed += open.length;
      return rows.length < atOnce ? undefined : rows.at(-1)?.id;
    });
    if (last === undefined) return changed;
    afterId = last;
  }
}
