import type { Database } from "@sonde/kit/postgres/database";
import type { NotificationTemplate, TemplateInput, TemplatePatch } from "@sonde/proto/http/notifications/templates";

type TemplateRow = Omit<NotificationTemplate, "createdAt" | "updatedAt"> & { createdAtMs: number; updatedAtMs: number };

const readTemplate = ({ createdAtMs, updatedAtMs, ...template }: TemplateRow): NotificationTemplate => ({
  ...template,
  createdAt: new Date(createdAtMs).toISOString(),
  updatedAt: new Date(updatedAtMs).toISOString(),
});

export async function allTemplates(db: Database): Promise<NotificationTemplate[]> {
  const rows = await db("templates").orderBy("id").select<TemplateRow[]>();
  return rows.map(readTemplate);
}

export async function findTemplate(db: Database, id: number): Promise<NotificationTemplate | undefined> {
  const row = await db("templates").where({ id }).first<TemplateRow | undefined>();
  return row && readTemplate(row);
}

/** The new template, or undefined if the maximum is reached. */
export async function insertTemplate(
  db: Database,
  fields: TemplateInput,
  { max, nowMs }: { max: number; nowMs: number },
): Promise<NotificationTemplate | undefined> {
  return db.transaction(async (trx) => {
    // Two at once would both find room for one.
    await trx.raw("lock table templates in share row exclusive mode");
    const [counted] = await trx("templates").count<{ count: number }[]>("* as count");
    if ((counted?.count ?? 0) >= max) return undefined;
    const row = { ...fields, createdAtMs: nowMs, updatedAtMs: nowMs };
    const [inserted] = await trx("templates").insert(row).returning<TemplateRow[]>("*");
    return inserted && readTemplate(inserted);
  });
}

export async function changeTemplate(
  db: Database,
  id: number,
  fields: TemplatePatch,
  nowMs: number,
): Promise<NotificationTemplate | undefined> {
  const [row] = await db("templates")
    .where({ id })
    .update({ ...fields, updatedAtMs: nowMs })
    .returning<TemplateRow[]>("*");
  return row && readTemplate(row);
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
