import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { readAcknowledgeLink } from "./read.ts";

/** Links in messages. */
export const acknowledgeEndpoints = (
  ctx: Context,
): Pick<Handlers<typeof NotificationsService>, "readAcknowledgeLink"> => ({
  readAcknowledgeLink: (request) => orUnavailable(() => readAcknowledgeLink(ctx, request)),
});
