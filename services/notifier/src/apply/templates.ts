import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { NotificationTemplate, TemplateInput } from "@sonde/proto/http/notifications/templates";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { changedTemplateFields, createTemplate, removeTemplate, updateTemplate } from "../templates/templates.ts";

export function templatesOf(ctx: Context): AppliedKind<NotificationTemplate, TemplateInput> {
  const fieldsOf = ({ key, fields }: ConfigLine) => ({ name: key, ...fields }) as TemplateInput;
  return {
    kind: "template",
    find: async (trx, ids) => {
      const rows = await trx<NotificationTemplate>("templates").whereRaw("id = any(?::int[])", [[...ids]]);
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: async (trx, lines) => {
      const there = await trx<NotificationTemplate>("templates")
        .whereRaw("name = any(?::text[])", [lines.map((line) => fieldsOf(line).name)])
        .orderBy("id")
        .select<NotificationTemplate[]>();
      return (line) =>
        there
          .filter(({ name, kind }) => name === fieldsOf(line).name && kind === fieldsOf(line).kind)
          .map(({ id, name }) => ({ id, name, hasName: true }));
    },
    plan: async (line, before, dropped) => {
      // Without a name in the document, the existing name stays.
      const given = before === null || dropped.includes("name") ? fieldsOf(line) : (line.fields as TemplateInput);
      if (before === null) return { next: given, changes: [] };
      const changes = changedTemplateFields(before, given).map((path) => ({
        path,
        from: before[path as keyof TemplateInput],
        to: given[path as keyof TemplateInput],
      }));
      return { next: given, changes };
    },
    write: async (trx, written) => {
      const made = new Map<string, number>();
      for (const { line, id, before, next } of written) {
        if (before !== null) await updateTemplate({ ...ctx, db: trx }, id, next, true);
        else made.set(line.key, (await createTemplate({ ...ctx, db: trx }, next)).id);
      }
      return made;
    },
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeTemplate({ ...ctx, db: trx }, id, true);
    },
  };
}
