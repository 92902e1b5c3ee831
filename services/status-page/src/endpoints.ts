import type { Handlers } from "@sonde/kit/bus/rpc";
import { createIdempotency } from "@sonde/kit/postgres/idempotency";
import type { StatusPageService } from "@sonde/proto/gen/status/v1/status";
import { announcementEndpoints } from "./announcements/endpoints.ts";
import type { Context } from "./context.ts";
import { maintenanceEndpoints } from "./maintenance/endpoints.ts";
import { pageEndpoints } from "./page/endpoints.ts";
import type { RenderPreview } from "./page/preview.ts";
import { subscriberEndpoints } from "./subscribers/endpoints.ts";

/** The bus table: method → verb. */
export const endpoints = (
  ctx: Context,
  preview: RenderPreview,
  idempotent = createIdempotency(ctx),
): Handlers<typeof StatusPageService> => ({
  ...pageEndpoints(ctx, preview),
  ...maintenanceEndpoints(ctx, idempotent),
  ...announcementEndpoints(ctx, idempotent),
  ...subscriberEndpoints(ctx),
});
