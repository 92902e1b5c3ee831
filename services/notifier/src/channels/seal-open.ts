import type { Database } from "@sonde/kit/postgres/database";
import { sealOpenTexts } from "@sonde/kit/sealed-config";
import type { SecretBox } from "@sonde/kit/secrets";
import { sealingOf } from "./config.ts";
import { type ChannelRow, readChannel } from "./stored-channel.ts";

/**
 * Seals texts that were stored in the clear before they counted as secret, such as the addresses of webhooks: the key is the
 * service's alone, so no migration can do it.
 * @returns how many channels changed
 */
export const sealOpenSecrets = (db: Database, secrets: SecretBox): Promise<number> =>
  db.transaction(async (trx) => {
    let changed = 0;
    for (const row of await trx<ChannelRow>("channels").orderBy("id").forUpdate()) {
      const { id, type, config } = readChannel(row);
      const sealed = sealOpenTexts(sealingOf(secrets, type), config);
      if (sealed === null) continue;
      await trx("channels")
        .where({ id })
        .update({ config: JSON.stringify(sealed) });
      changed += 1;
    }
    return changed;
  });
