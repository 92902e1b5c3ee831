import { channelTestAnswer } from "@sonde/proto/http/notifications/channels";
import { contactsAnswer, contactsInput, contactTestInput, renewDeviceInput } from "@sonde/proto/http/on-call/contacts";
import { limitTexts } from "../../middleware/limits.ts";
import { command, route } from "../../route.ts";
import { timeouts } from "../../services.ts";

export const onCallContactRoutes = [
  route("GET /api/me/contacts", "session", {
    summary: "Get how you are notified when you are on call; secret addresses are masked",
    answer: contactsAnswer,
    handle: ({ services, session, ask }) => services.onCall.getContacts({ userId: session.userId }, ask),
  }),
  route("PUT /api/me/contacts", "session", {
    summary: "Replace how you are notified when you are on call",
    description:
      "Without rules you are notified by mail, if your account has an address and a channel can send mail. A masked address keeps the stored one.",
    body: contactsInput,
    answer: contactsAnswer,
    message: "Contacts saved",
    handle: ({ services, session: { userId: id, username: name, email }, body, ask }) =>
      services.onCall.putContacts({ ...body, user: { id, name, email } }, ask),
  }),
  route("POST /api/me/contacts/test", "session", {
    summary: "Send a sample incident to one of your contacts now; a failed delivery is also a 200",
    description: limitTexts.channelTest,
    within: ({ channelTests }, { userId }, request) => channelTests.within("test", userId, request),
    body: contactTestInput,
    answer: channelTestAnswer,
    handle: async ({ services, channelTests, session: { userId }, body: { rule }, ctx, ask }) => {
      await channelTests.take("test", userId);
      const request = { userId, rule, language: ctx.state.language };
      const delivery = await services.onCall.testContact(request, { ...ask, timeoutMs: timeouts.channelTestMs });
      const isDelivered = delivery.status === "delivered";
      const message = isDelivered ? "Test notification delivered" : "Test notification was not delivered";
      return { message, delivery };
    },
  }),
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
