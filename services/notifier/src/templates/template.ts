import { invalid } from "@sonde/kit/errors";
import { oneOf } from "@sonde/kit/one-of";
import { type TemplateKind, templateKinds } from "@sonde/proto/http/alerts";
import { faultsOf } from "@sonde/proto/http/issues";
import type { z } from "zod";

export type TemplateFields = { name: string; kind: TemplateKind; subject: string; content: string };
export type Template = TemplateFields & { id: number; createdAtMs: number; updatedAtMs: number };

/** A row of `templates` as it is read. */
export type TemplateRow = Omit<Template, "kind"> & { kind: string };

const kindOf = oneOf(templateKinds, "kind of template");
export const readTemplate = (row: TemplateRow): Template => ({ ...row, kind: kindOf(row.kind) });

/** The input by the schema that the public API has too. @throws AppError `invalid` with every fault */
export function check<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (!parsed.success) throw invalid(faultsOf(parsed.error.issues));
  return parsed.data;
}
