import { messageAnswer } from "@sonde/proto/http/auth";
import {
  channelAnswer,
  channelInput,
  channelPatch,
  channelsAnswer,
  channelTestAnswer,
} from "@sonde/proto/http/notifications/channels";
import { limitTexts } from "../limits/limits.ts";
import { route } from "../route.ts";
import { timeouts } from "../services.ts";

const params = { id: "Notification channel does not exist" } as const;

export const notificationChannelRoutes = [
  route({
    method: "GET",
    path: "/api/notifications/channels",
    who: "session",
    summary: "List notification channels with their health; secrets are masked",
    answer: channelsAnswer,
    handle: ({ services, ask }) => services.notifications.listChannels({}, ask),
  }),
  route({
    method: "POST",
    path: "/api/notifications/channels",
    who: "write",
    idempotent: true,
    summary: "Create a notification channel",
    description: "At most 200 channels.",
    body: channelInput,
    status: 201,
    answer: channelAnswer,
    handle: async ({ services, body, ask }) => ({
      message: "Notification channel created",
      channel: await services.notifications.createChannel(body, ask),
    }),
  }),
  route({
    method: "PUT",
    path: "/api/notifications/channels/:id",
    who: "write",
    summary: "Change a notification channel, by a whole input or a part of one",
    description:
      "`config` changes only the fields that it names; null clears one. A masked secret keeps the stored one, unless who is sent it changes: then it must be entered anew.",
    params,
    body: channelPatch,
    answer: channelAnswer,
    handle: async ({ services, params, body, ask }) => ({
      message: "Notification channel updated",
      channel: await services.notifications.updateChannel({ ...body, ...params }, ask),
    }),
  }),
  route({
    method: "DELETE",
    path: "/api/notifications/channels/:id",
    who: "write",
    summary: "Delete a notification channel; settings that name it no longer do",
    params,
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.notifications.deleteChannel({ id }, ask);
      return { message: "Notification channel successfully deleted" };
    },
  }),
  route({
    method: "POST",
    path: "/api/notifications/channels/:id/test",
    who: "write",
    summary: "Send a sample incident through a channel once; a refusal is an answer too",
    description: limitTexts.channelTest,
    params,
    within: ({ channelTests }, { userId }, request) => channelTests.within("test", userId, request),
    answer: channelTestAnswer,
    handle: async ({ services, channelTests, session, params: { id }, ctx, ask }) => {
      await channelTests.take("test", session.userId);
      const request = { id, language: ctx.state.language };
      const delivery = await services.notifications.testChannel(request, { ...ask, timeoutMs: timeouts.channelTestMs });
      const isDelivered = delivery.status === "delivered";
      const message = isDelivered ? "Test notification delivered" : "Test notification was not delivered";
      return { message, delivery };
    },
  }),
];
