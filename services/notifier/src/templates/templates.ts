import { AppError } from "@sonde/kit/errors";
import type {
  NotificationTemplate,
  TemplateInput,
  TemplatePatch,
  TemplatePreviewInput,
} from "@sonde/proto/http/notifications/templates";
import type { Context } from "../context.ts";
import { allTemplates, changeTemplate, deleteTemplate, insertTemplate } from "./store.ts";
import { linksOf } from "../acknowledge/link.ts";
import { builtInTemplate } from "../messages/built-in.ts";
import { renderMessage } from "../messages/render.ts";
import { sampleFacts } from "../messages/sample.ts";

const mostTemplates = 100;

const missing = () => new AppError("not_found", "Notification template does not exist");

/** All, oldest first. */
export const listTemplates = (ctx: Context): Promise<NotificationTemplate[]> => allTemplates(ctx.db);

/** @throws AppError `impossible`: there are a hundred */
export async function createTemplate(ctx: Context, fields: TemplateInput): Promise<NotificationTemplate> {
  const template = await insertTemplate(ctx.db, fields, { max: mostTemplates, nowMs: ctx.clock.now() });
  if (template === undefined) {
    const params = { max: mostTemplates };
    throw new AppError("impossible", "There are {max} templates already, delete one first", { params });
  }
  return template;
}

/** Absent fields are unchanged. @throws AppError `not_found` */
export async function updateTemplate(ctx: Context, id: number, patch: TemplatePatch): Promise<NotificationTemplate> {
  const template = await changeTemplate(ctx.db, id, patch, ctx.clock.now());
  if (template === undefined) throw missing();
  return template;
}

/** Settings that named it use the built-in words again. @throws AppError `not_found` */
export async function removeTemplate(ctx: Context, id: number): Promise<void> {
  if (!(await deleteTemplate(ctx.db, id))) throw missing();
}

type Words = { subject: string; content: string };

/**
 * What a template makes of a made-up incident, by the way that messages take; where subject or content is absent, it is
 * the built-in one's. Beside it the built-in words as a template.
 */
export function previewTemplate(ctx: Context, input: TemplatePreviewInput): { preview: Words; builtIn: Words } {
  const { kind, language = "zh-CN", ...given } = input;
  const builtIn = builtInTemplate(kind, language);
  const message = renderMessage({
    key: "preview",
    alerts: [sampleFacts(kind, language, ctx.clock.now())],
    language,
    template: { kind, subject: given.subject ?? builtIn.subject, content: given.content ?? builtIn.content },
    linksOf: linksOf({ ...ctx, publicUrl: ctx.publicUrl ?? "https://sonde.example.com" }, 0),
  });
  return { preview: { subject: message.title, content: message.text }, builtIn };
}
