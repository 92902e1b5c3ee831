import type { Handlers } from "@sonde/kit/bus/rpc";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { getSettings } from "./get.ts";
import { putSetting } from "./put.ts";
import { removeSetting } from "./remove.ts";

type Methods = "getSettings" | "putSetting" | "deleteSetting";

/** What is answered about settings. */
export const settingsEndpoints = (ctx: Context): Pick<Handlers<typeof NotificationsService>, Methods> => ({
  getSettings: () => getSettings(ctx),
  putSetting: (request) => putSetting(ctx, request),
  deleteSetting: async (request) => {
    await removeSetting(ctx, request);
    return {};
  },
});
