import { record } from "@sonde/domain/audit";
import { AppError } from "@sonde/kit/errors";
import type { AuditAction } from "@sonde/proto/http/audit";
import type {
  NotificationTemplate,
  TemplateInput,
  TemplatePatch,
  TemplatePreviewInput,
} from "@sonde/proto/http/notifications/templates";
import { ownersOf, refuseOwned } from "@sonde/domain/managed/table";
import type { Database } from "@sonde/kit/postgres/database";
import { isDeepStrictEqual } from "node:util";
import type { Context } from "../context.ts";
import { linksOf } from "../acknowledge/link.ts";
import { builtInTemplate, sampleFacts } from "../messages/sample.ts";
import { renderMessage } from "../messages/render.ts";

const maxTemplates = 100;

/** @throws AppError `not_found` */
function found(row: TemplateRow | undefined): NotificationTemplate {
  if (row === undefined) throw new AppError("not_found", "Notification template does not exist");
  const { createdAtMs, updatedAtMs, ...template } = row;
  const [createdAt, updatedAt] = [new Date(createdAtMs).toISOString(), new Date(updatedAtMs).toISOString()];
  return { ...template, createdAt, updatedAt };
}

type TemplateRow = Omit<NotificationTemplate, "createdAt" | "updatedAt"> & { createdAtMs: number; updatedAtMs: number };

export async function listTemplates({ db }: Context): Promise<NotificationTemplate[]> {
  const templates = (await db<TemplateRow>("templates").orderBy("id")).map(found);
  const owners = await ownersOf(
    db,
    "template",
    templates.map(({ id }) => id),
  );
  return templates.map((template) => ({ ...template, managed: owners.get(template.id) }));
}

/** @throws AppError `impossible` if there are too many templates */
export const createTemplate = (ctx: Context, fields: TemplateInput): Promise<NotificationTemplate> =>
  changing(ctx, "create", async (trx) => ({ after: await insertTemplate(trx, fields, ctx.clock.now()) }));

/** Changes the given fields. @throws AppError `not_found`, or `conflict` if a source owns a changed field */
export const updateTemplate = (
  ctx: Context,
  id: number,
  patch: TemplatePatch,
  isOwner = false,
): Promise<NotificationTemplate> =>
  changing(ctx, "update", async (trx) => {
    const template = trx<TemplateRow>("templates").where({ id });
    const before = found(await template.clone().forUpdate().first());
    if (!isOwner)
      await refuseOwned(trx, { kind: "template", id, name: before.name }, () => changedTemplateFields(before, patch));
    const [after] = await template.update({ ...patch, updatedAtMs: ctx.clock.now() }).returning("*");
    return { before, after: found(after) };
  });

export const changedTemplateFields = (before: object, patch: object): string[] =>
  Object.entries(patch).flatMap(([field, value]) =>
    value === undefined || isDeepStrictEqual((before as Record<string, unknown>)[field], value) ? [] : [field],
  );

/** Settings with it use built-in texts again. @throws AppError `not_found`, `conflict` if a source owns it */
export const removeTemplate = (ctx: Context, id: number, isOwner = false): Promise<NotificationTemplate> =>
  changing(ctx, "delete", async (trx) => {
    const before = found(await deleteTemplate(trx, id));
    if (!isOwner) await refuseOwned(trx, { kind: "template", id, name: before.name }, null);
    return { before };
  });

type Before = { before: NotificationTemplate; after?: undefined };
type After = { before?: NotificationTemplate; after: NotificationTemplate };

async function changing(
  { db, committed }: Context,
  action: AuditAction,
  change: (trx: Database) => Promise<Before | After>,
): Promise<NotificationTemplate> {
  const changed = await db.transaction(async (trx) => {
    const { before, after } = await change(trx);
    const template = after ?? before;
    await record(trx, "notifier", {
      action,
      target: { type: "template", id: template.id, name: template.name },
      before,
      after,
    });
    return template;
  });
  committed();
  return changed;
}

/** @throws AppError `impossible` if there are too many templates */
export async function insertTemplate(
  trx: Database,
  fields: TemplateInput,
  nowMs: number,
): Promise<NotificationTemplate> {
  // Serialises concurrent additions, which would both find room for one more.
  await trx.raw("lock table templates in share row exclusive mode");
  const [counted] = await trx("templates").count<{ count: number }[]>("* as count");
  if ((counted?.count ?? 0) >= maxTemplates) {
    const params = { max: maxTemplates };
    throw new AppError("impossible", "The limit of {max} templates has been reached: delete one first", { params });
  }
  const row = { ...fields, createdAtMs: nowMs, updatedAtMs: nowMs };
  return found((await trx("templates").insert(row).returning<TemplateRow[]>("*"))[0]);
}

export async function deleteTemplate(trx: Database, id: number): Promise<TemplateRow | undefined> {
  const [removed] = await trx<TemplateRow>("templates").where({ id }).delete().returning("*");
  await trx("settings")
    .whereRaw("value->'templateId' = to_jsonb(?::int)", [id])
    .update({ value: trx.raw("value - 'templateId'") });
  return removed;
}

type Words = { subject: string; content: string };

/** Renders for a fictitious incident, like a message. Also returns the built-in texts as a template. */
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
