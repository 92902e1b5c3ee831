import type { AppliedKind } from "@sonde/domain/managed/apply";
import type { NotificationTemplate, TemplateInput } from "@sonde/proto/http/notifications/templates";
import type { ConfigLine } from "@sonde/proto/rpc/apply";
import type { Context } from "../context.ts";
import { changedTemplateFields, createTemplate, removeTemplate, updateTemplate } from "../templates/templates.ts";
import { alikeByName, writeEach } from "./named.ts";

export function templatesOf(ctx: Context): AppliedKind<NotificationTemplate, TemplateInput> {
  const fieldsOf = ({ key, fields }: ConfigLine) => ({ name: key, ...fields }) as TemplateInput;
  return {
    kind: "template",
    find: async (trx, ids) => {
      const rows = await trx<NotificationTemplate>("templates").whereRaw("id = any(?::int[])", [[...ids]]);
      return new Map(rows.map((row) => [row.id, row]));
    },
    findAlike: alikeByName("templates", "kind"),
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
    write: (trx, written) =>
      writeEach(
        written,
        async (next) => (await createTemplate({ ...ctx, db: trx }, next)).id,
        (id, next) => updateTemplate({ ...ctx, db: trx }, id, next, true),
      ),
    remove: async (trx, removed) => {
      for (const { id } of removed) await removeTemplate({ ...ctx, db: trx }, id, true);
    },
  };
}
