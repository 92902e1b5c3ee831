import { sealRows } from "@sonde/kit/postgres/sealed-rows";
import { isCurrent, sealAgain, type SealedConfig, sealOpenTexts } from "@sonde/kit/sealed-config";
import { secretContexts, type SecretBox } from "@sonde/kit/secrets";
import type { Context } from "../context.ts";
import type { Database } from "@sonde/kit/postgres/database";
import { sealingOf } from "./config.ts";
import { type StoredChannel } from "./store.ts";

/** Seals by the first key the secrets of channels that an older key sealed. @returns how many channels changed */
export function sealChannels({ db, log, secrets }: Pick<Context, "db" | "log" | "secrets">): Promise<number> {
  const sealing = { box: secrets, context: secretContexts.channel };
  return sealRows<SealedConfig>({
    db,
    log,
    table: "channels",
    seal: (config) => sealAgain(sealing, config),
    isCurrent: (config) => isCurrent(sealing, config),
    write: (trx, rows) =>
      trx.raw(
        `update channels set config = given.config
         from unnest(?::int[], ?::jsonb[]) as given (id, config) where channels.id = given.id`,
        [rows.map(({ id }) => id), rows.map(({ config }) => JSON.stringify(config))],
      ),
  });
}

/**
 * Seals texts that were stored in the clear before they counted as secret, such as the addresses of webhooks: the key is the
 * service's alone, so no migration can do it.
 * @returns how many channels changed
 */
export const sealOpenSecrets = (db: Database, secrets: SecretBox): Promise<number> =>
  db.transaction(async (trx) => {
    let changed = 0;
    for (const { id, type, config } of await trx<StoredChannel>("channels").orderBy("id").forUpdate()) {
      const sealed = sealOpenTexts(sealingOf(secrets, type), config);
      if (sealed === null) continue;
      await trx("channels")
        .where({ id })
        .update({ config: JSON.stringify(sealed) });
      changed += 1;
    }
    return changed;
  });
