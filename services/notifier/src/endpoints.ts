import type { Handlers } from "@sonde/kit/bus/rpc";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import { acknowledgeEndpoints } from "./acknowledge/endpoints.ts";
import { explainIncident } from "./alerts/explain.ts";
import { channelEndpoints } from "./channels/endpoints.ts";
import type { Context } from "./context.ts";
import type { Delivering } from "./deliveries/delivering.ts";
import { deliveryEndpoints } from "./deliveries/endpoints.ts";
import { importEndpoints } from "./import/endpoints.ts";
import { mailEndpoints } from "./mails/endpoints.ts";
import { settingsEndpoints } from "./settings/endpoints.ts";
import { templateEndpoints } from "./templates/endpoints.ts";

/** The bus table: method → verb. */
export const endpoints = (ctx: Context, delivering: Delivering): Handlers<typeof NotificationsService> => ({
  ...channelEndpoints(ctx),
  ...settingsEndpoints(ctx),
  ...templateEndpoints(ctx),
  ...deliveryEndpoints(delivering),
  ...acknowledgeEndpoints(ctx),
  ...mailEndpoints(delivering),
  ...importEndpoints(ctx),
  explainIncident: (request) => explainIncident(ctx, request),
});
