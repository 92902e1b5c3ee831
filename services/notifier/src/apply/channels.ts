import { AppError } from "@sonde/kit/errors";
import type { AppliedKind } from "@sonde/domain/managed/apply";
import { defaultsOf } from "@sonde/proto/http/monitors/checks/kind";
import { type ChannelTypeName, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import {
  type ChannelDefinition,
  channelChanges,
  changed,
  toChannelDefinition,
  createChannel,
  removeChannel,
  type StoredChannel,
  updateChannel,
} from "../channels/channels.ts";
import type { Context } from "../context.ts";
import { alikeByName, writeEach } from "./named.ts";

type PlainDefinition = Omit<ChannelDefinition, "config"> & { config: Record<string, unknown> };

export function channelsOf(ctx: Context): AppliedKind<StoredChannel, Partial<PlainDefinition>> {
  return {
    kind: "channel",
    find: async (trx, ids) => {
      const rows = await trx<StoredChannel>("channels").whereRaw("id = any(?::int[])", [[...ids]]);
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: alikeByName("channels", "type"),
    plan: async (line, before, dropped) => {
      const given = inputOf(line, before, dropped);
      try {
        if (before === null) {
          const whole = { name: line.key, enabled: true, config: {}, ...given } as PlainDefinition;
          toChannelDefinition(ctx, whole);
          return { next: whole, changes: [] };
        }
        const changes = channelChanges(before, changed(ctx, before, given));
        // Writing a configuration resets the channel's health, so an unchanged one is not written.
        const isReconfigured = changes.some(({ path }) => path !== "name" && path !== "enabled");
        return { next: isReconfigured ? given : { ...given, config: undefined as never }, changes };
      } catch (thrown) {
        throw thrown instanceof AppError ? flat(thrown) : thrown;
      }
    },
    write: (trx, written) =>
      writeEach(
        written,
        async (next) => (await createChannel({ ...ctx, db: trx }, next as PlainDefinition)).id,
        (id, next) => updateChannel({ ...ctx, db: trx }, { ...next, id }, true),
      ),
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeChannel({ ...ctx, db: trx }, { id }, true);
    },
  };
}

function inputOf(
  { key, fields: { type, name, enabled, ...config } }: ConfigLine,
  before: StoredChannel | null,
  dropped: readonly string[],
): Partial<PlainDefinition> {
  const defaults = {
    ...defaultsOf(channelTypeOf(before?.type ?? (type as ChannelTypeName)).fields),
    name: key,
    enabled: true,
  };
  const {
    name: ownName,
    enabled: isEnabled,
    type: _type,
    ...cleared
  } = Object.fromEntries(dropped.map((field) => [field, (defaults as Record<string, unknown>)[field] ?? null]));
  const given = { type, name: name ?? ownName, enabled: enabled ?? isEnabled, config: { ...cleared, ...config } };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Partial<PlainDefinition>;
}

const flat = ({ code, key, params, details }: AppError) =>
  new AppError(code, key, {
    params,
    details: details.map((fault) => ({ ...fault, path: fault.path.replace(/^config\.?/, "") })),
  });
