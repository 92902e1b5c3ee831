import { sealRows } from "@sonde/kit/postgres/sealed-rows";
import { isCurrent, sealAgain, type SealedConfig } from "@sonde/kit/sealed-config";
import { secretContexts } from "@sonde/kit/secrets";
import type { Context } from "../context.ts";

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
