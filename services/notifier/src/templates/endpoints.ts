import type { Handlers } from "@sonde/kit/bus/rpc";
import { orUnavailable } from "@sonde/kit/postgres/database";
import type { NotificationsService } from "@sonde/proto/gen/notifications/v1/notifications";
import type { Context } from "../context.ts";
import { previewTemplate } from "./preview.ts";
import { createTemplate, listTemplates, removeTemplate, updateTemplate } from "./templates.ts";

type Methods = "listTemplates" | "createTemplate" | "updateTemplate" | "deleteTemplate" | "previewTemplate";

/** Messages of people's own. */
export const templateEndpoints = (ctx: Context): Pick<Handlers<typeof NotificationsService>, Methods> => ({
  listTemplates: async () => ({ templates: await orUnavailable(() => listTemplates(ctx)) }),
  createTemplate: ({ name, kind, subject, content }) =>
    orUnavailable(() => createTemplate(ctx, { name, kind, subject, content })),
  updateTemplate: ({ id, name, kind, subject, content }) =>
    orUnavailable(() => updateTemplate(ctx, id, { name, kind, subject, content })),
  deleteTemplate: async ({ id }) => {
    await orUnavailable(() => removeTemplate(ctx, id));
    return {};
  },
  previewTemplate: async ({ kind, subject, content, language }) => {
    const shown = previewTemplate(ctx, { kind, subject, content, language: language || undefined });
    const { builtIn } = shown;
    return { ...shown, builtInSubject: builtIn.subject, builtInContent: builtIn.content };
  },
});
