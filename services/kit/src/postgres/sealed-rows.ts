import type { Log } from "../service/log.ts";
import { gauge } from "../telemetry/metrics.ts";
import type { Database } from "./database.ts";

const underOldKeys = gauge(
  "sonde_secrets_under_old_keys",
  "Rows with a secret that is not sealed with the first key, as of the last scan",
  ["table"],
);
/** Blocks other replicas and the event loop for milliseconds only. */
const atOnce = 50;

export type SealedTable<Config> = {
  db: Database;
  log: Log;
  table: string;
  /** Deleted rows stay with a `deleted_at_ms` and no configuration. */
  hasTombstones?: boolean;
  /** `null` if the first key sealed all secrets, or no key opens the rest. */
  seal: (config: Config) => Config | null;
  isCurrent: (config: Config) => boolean;
  write: (trx: Database, rows: readonly SealedRow<Config>[]) => Promise<unknown>;
};
export type SealedRow<Config> = { id: number; config: Config };

/**
 * Reseals secrets of older keys or of version 0.1.0, and seals those in plain text. Safe alongside other replicas.
 * Reports rows that remain under an unknown key. Returns the number of changed rows.
 */
export async function sealRows<Config>(sealed: SealedTable<Config>): Promise<number> {
  const { db, log, table, hasTombstones, seal, isCurrent, write } = sealed;
  let [changed, remaining] = [0, 0];
  for (let afterId = 0; ;) {
    const query = db<SealedRow<Config>>(table).select("id", "config").where("id", ">", afterId).orderBy("id");
    if (hasTombstones) void query.whereNull("deleted_at_ms");
    const rows = (await query.limit(atOnce)) as SealedRow<Config>[];
    const ids = rows.filter(({ config }) => seal(config) !== null).map(({ id }) => id);
    if (ids.length > 0) {
      changed += await db.transaction(async (trx) => {
        const locked = trx<SealedRow<Config>>(table).select("id", "config").whereRaw("id = any(?)", [ids]);
        const again = ((await locked.orderBy("id").forUpdate()) as SealedRow<Config>[]).flatMap(({ id, config }) => {
          const current = seal(config);
          return current === null ? [] : [{ id, config: current }];
        });
        await write(trx, again);
        return again.length;
      });
    }
    remaining += rows.filter(({ config }) => !isCurrent(seal(config) ?? config)).length;
    const last = rows.at(-1);
    if (last === undefined) break;
    afterId = last.id;
  }
  underOldKeys.set({ table }, remaining);
  if (changed > 0) log.info({ table, rows: changed, remaining }, "secrets were sealed by the first key");
  if (remaining > 0) log.warn({ table, rows: remaining }, "secrets cannot be opened with any of the keys");
  return changed;
}
