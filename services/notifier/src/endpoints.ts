import { AppError } from "@sonde/kit/errors";
import type { Handlers } from "@sonde/kit/bus/rpc";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import { acknowledgeEndpoints } from "./acknowledge/endpoints.ts";
import { channelEndpoints } from "./channels/endpoints.ts";
import type { Context } from "./context.ts";
import { settingsEndpoints } from "./settings/endpoints.ts";
import { templateEndpoints } from "./templates/endpoints.ts";

/** The bus table: method → verb. */
export function endpoints(ctx: Context): Handlers<typeof NotificationsService> {
  const missing = async (): Promise<never> => {
    throw new AppError("unavailable", "The {service} service is not available at the moment", {
      params: { service: "notifier" },
    });
  };
  return {
    testChannel: missing,
    listDeliveries: missing,
    explainIncident: missing,
    ...settingsEndpoints(ctx),
    ...templateEndpoints(ctx),
    ...acknowledgeEndpoints(ctx),
    ...channelEndpoints(ctx),
  };
}
