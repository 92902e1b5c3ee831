import { messageAnswer } from "@sonde/proto/http/auth";
import {
  templateAnswer,
  templateInput,
  templatePatch,
  templatePreviewAnswer,
  templatePreviewInput,
  templatesAnswer,
} from "@sonde/proto/http/notifications/templates";
import { route } from "../route.ts";

const params = { id: "Notification template does not exist" } as const;

export const notificationTemplateRoutes = [
  route({
    method: "GET",
    path: "/api/notifications/templates",
    who: "session",
    summary: "List message templates",
    answer: templatesAnswer,
    handle: ({ services, ask }) => services.notifications.listTemplates({}, ask),
  }),
  route({
    method: "POST",
    path: "/api/notifications/templates",
    who: "write",
    summary: "Create a message template",
    description: "At most 100 templates.",
    body: templateInput,
    status: 201,
    answer: templateAnswer,
    handle: async ({ services, body, ask }) => ({
      message: "Notification template created",
      template: await services.notifications.createTemplate(body, ask),
    }),
  }),
  route({
    method: "POST",
    path: "/api/notifications/templates/preview",
    who: "write",
    summary: "What a template makes of sample values; without subject or content, the built-in one",
    body: templatePreviewInput,
    answer: templatePreviewAnswer,
    handle: ({ services, body, ctx, ask }) =>
      services.notifications.previewTemplate({ ...body, language: body.language ?? ctx.state.language }, ask),
  }),
  route({
    method: "PUT",
    path: "/api/notifications/templates/:id",
    who: "write",
    summary: "Change a message template, by a whole input or a part of one",
    params,
    body: templatePatch,
    answer: templateAnswer,
    handle: async ({ services, params, body, ask }) => ({
      message: "Notification template updated",
      template: await services.notifications.updateTemplate({ ...body, ...params }, ask),
    }),
  }),
  route({
    method: "DELETE",
    path: "/api/notifications/templates/:id",
    who: "write",
    summary: "Delete a message template; settings that name it use the built-in texts again",
    params,
    answer: messageAnswer,
    handle: async ({ services, params: { id }, ask }) => {
      await services.notifications.deleteTemplate({ id }, ask);
      return { message: "Notification template successfully deleted" };
    },
  }),
];
