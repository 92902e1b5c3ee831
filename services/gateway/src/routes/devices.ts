import { renewDeviceInput } from "@sonde/proto/http/on-call/contacts";
import { limitTexts } from "../middleware/limits.ts";
import { command } from "../route.ts";

export const deviceRoutes = [
  command("POST /api/me/contacts/renew-device", "anyone", {
    summary: "Replace the push subscription of a device, as its browser did",
    description: `Only a browser knows its old endpoint, so this needs no session. ${limitTexts.link}`,
    body: renewDeviceInput,
    refusals: ["not_found", "too_many"],
    message: "Device updated",
    handle: async ({ linkReads, ctx, services, body, ask }) => {
      await linkReads(ctx.state.address);
      await services.notifications.renewDevice(body, ask);
    },
  }),
];
