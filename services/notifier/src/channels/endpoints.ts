import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import { ChannelSchema, type NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { createChannel } from "./create.ts";
import { presentChannel } from "./present.ts";
import { removeChannel } from "./remove.ts";
import { allChannels } from "./store.ts";
import { updateChannel } from "./update.ts";

type Methods = "listChannels" | "createChannel" | "updateChannel" | "deleteChannel";

/** Where messages go. */
export const channelEndpoints = (
  ctx: Context,
  idempotent = createIdempotency(ctx),
): Pick<Handlers<typeof NotificationsService>, Methods> => ({
  listChannels: async () => ({ channels: (await orUnavailable(() => allChannels(ctx.db))).map(presentChannel) }),
  createChannel: (request, call) =>
    idempotent(call, ChannelSchema, async (db) => presentChannel(await createChannel({ ...ctx, db }, request))),
  updateChannel: async (request) => presentChannel(await updateChannel(ctx, request)),
  deleteChannel: async (request) => {
    await removeChannel(ctx, request);
    return {};
  },
});
