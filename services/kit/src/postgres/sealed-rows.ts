import type { Log } from "../service/log.ts";
import { gauge } from "../telemetry/metrics.ts";
import type { Database } from "./database.ts";

const underOldKeys = gauge(
  "sonde_secrets_under_old_keys",
  "Rows with a secret that is not sealed with the first key, as of the last scan",
  ["table"],
);
/** So few at once that other replicas and the loop wait for milliseconds only. */
const atOnce = 50;

/** A table whose rows hold secrets in their `config`. */
export type SealedTable<Config> = {
  db: Database;
  log: Log;
  table: string;
  /** Whether rows with a `deleted_at_ms` stay in the table, without a configuration. */
  hasTombstones?: boolean;
  /** The configuration with each secret sealed by the first key; null where it is so already, or no key opens the rest. */
  seal: (config: Config) => Config | null;
  isCurrent: (config: Config) => boolean;
  /** Writes the changed configurations of rows that are locked. */
  write: (trx: Database, rows: readonly SealedRow<Config>[]) => Promise<unknown>;
};
export type SealedRow<Config> = { id: number; config: Config };

/**
 * Seals by the first key what an older one sealed, what version 0.1.0 sealed, and what was kept in the clear. Harmless
 * beside other replicas. The log and a gauge have the number of rows that stay under an old key, since no key opens them.
 * @returns how many rows changed
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
  if (remaining > 0) log.warn({ table, rows: remaining }, "secrets do not open with any key that is given");
  return changed;
}
