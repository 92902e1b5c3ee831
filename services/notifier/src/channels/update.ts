import { type FieldFault, invalid } from "@sonde/kit/errors";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { PlainConfig } from "@sonde/kit/sealed-config";
import type { ChannelPatch } from "@sonde/proto/http/notifications/channels";
import type { Context } from "../context.ts";
import { applyConfig } from "./config.ts";
import { mostConfigBytes } from "./limits.ts";
import { found, hastenMessages, lockChannel, refuseTooLarge, saveChannel } from "./store.ts";
import type { StoredChannel } from "./stored-channel.ts";

/**
 * Changes the fields of a channel that are present, also within `config`. Another configuration makes it healthy again.
 * @throws AppError not_found, too_large, invalid with the path of each fault
 */
export async function updateChannel(
  ctx: Context,
  { id, ...given }: ChannelPatch & { id: number },
): Promise<StoredChannel> {
  const channel = await orUnavailable(() =>
    ctx.db.transaction(async (trx) => {
      const nowMs = ctx.clock.now();
      const before = found(await lockChannel(trx, id));
      const definition = changed(ctx, before, given);
      // Waiting messages of a disabled channel fail now, not when they are due.
      if (!definition.enabled) await hastenMessages(trx, before.id, nowMs);
      const saved = await saveChannel(trx, before.id, definition, { isAnew: given.config !== undefined, nowMs });
      if (given.config !== undefined) await refuseTooLarge(trx, mostConfigBytes);
      return saved;
    }),
  );
  ctx.due();
  return channel;
}

function changed(ctx: Context, before: StoredChannel, { type, config: given, ...rest }: ChannelPatch) {
  const fixed: FieldFault[] =
    type === undefined || type === before.type
      ? []
      : [{ path: "type", message: "The type of a channel cannot be changed" }];
  const { config, faults } =
    given === undefined || fixed.length > 0
      ? { config: before.config, faults: [] }
      : applyConfig(ctx, before.type, { given: given as PlainConfig, before: before.config });
  if (fixed.length + faults.length > 0) throw invalid([...fixed, ...faults]);
  const { name = before.name, enabled = before.enabled } = rest;
  return { name, type: before.type, enabled, config };
}
