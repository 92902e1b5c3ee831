import type { Handlers } from "@sonde/kit/bus/rpc";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { importNotifications } from "./import.ts";
import { undoImport } from "./undo.ts";

type Methods = "importNotifications" | "undoImport";

/** What comes from a file: channels, templates and settings at once. */
export const importEndpoints = (ctx: Context): Pick<Handlers<typeof NotificationsService>, Methods> => ({
  importNotifications: (request) => importNotifications(ctx, request),
  undoImport: async (request) => {
    await undoImport(ctx, request);
    return {};
  },
});
