import { AppError } from "@sonde/kit/errors";
import type {
  NotificationTemplate,
  TemplateInput,
  TemplatePatch,
  TemplatePreviewInput,
} from "@sonde/proto/http/notifications/templates";
import type { Database } from "@sonde/kit/postgres/database";
import type { Context } from "../context.ts";
import { linksOf } from "../acknowledge/link.ts";
import { builtInTemplate, sampleFacts } from "../messages/sample.ts";
import { renderMessage } from "../messages/render.ts";

const mostTemplates = 100;

/** Of a row. @throws AppError `not_found` where there is none */
function found(row: TemplateRow | undefined): NotificationTemplate {
  if (row === undefined) throw new AppError("not_found", "Notification template does not exist");
  const { createdAtMs, updatedAtMs, ...template } = row;
  const [createdAt, updatedAt] = [new Date(createdAtMs).toISOString(), new Date(updatedAtMs).toISOString()];
  return { ...template, createdAt, updatedAt };
}

type TemplateRow = Omit<NotificationTemplate, "createdAt" | "updatedAt"> & { createdAtMs: number; updatedAtMs: number };

/** All, oldest first. */
export const listTemplates = async ({ db }: Context): Promise<NotificationTemplate[]> =>
  (await db<TemplateRow>("templates").orderBy("id")).map(found);

/** @throws AppError `impossible`: there are a hundred */
export async function createTemplate({ db, clock }: Context, fields: TemplateInput): Promise<NotificationTemplate> {
  return db.transaction(async (trx) => {
    // Two at once would both find room for one.
    await trx.raw("lock table templates in share row exclusive mode");
    const [counted] = await trx("templates").count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= mostTemplates) {
      const params = { max: mostTemplates };
      throw new AppError("impossible", "There are {max} templates already, delete one first", { params });
    }
    const row = { ...fields, createdAtMs: clock.now(), updatedAtMs: clock.now() };
    return found((await trx("templates").insert(row).returning<TemplateRow[]>("*"))[0]);
  });
}

/** Absent fields are unchanged. @throws AppError `not_found` */
export async function updateTemplate(ctx: Context, id: number, patch: TemplatePatch): Promise<NotificationTemplate> {
  const fields = { ...patch, updatedAtMs: ctx.clock.now() };
  const changed = ctx.db("templates").where({ id }).update(fields);
  return found((await changed.returning<TemplateRow[]>("*"))[0]);
}

/** Settings that named it use the built-in words again. @throws AppError `not_found` */
export async function removeTemplate({ db }: Context, id: number): Promise<void> {
  if (!(await deleteTemplate(db, id))) found(undefined);
}

/** Removes it, also from the settings that name it. False if there is none. */
export async function deleteTemplate(db: Database, id: number): Promise<boolean> {
  return db.transaction(async (trx) => {
    const removed = await trx("templates").where({ id }).delete();
    await trx("settings")
      .whereRaw("value->'templateId' = to_jsonb(?::int)", [id])
      .update({ value: trx.raw("value - 'templateId'") });
    return removed > 0;
  });
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
