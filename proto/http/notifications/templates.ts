import * as z from "zod";
import { templateKinds } from "../incidents/alerts.ts";
import { managedBy } from "../config/managed.ts";
import { id, instant, success } from "../envelope.ts";
import { notificationLanguages } from "./settings.ts";
import { linePattern, nameOf, textOf, trimmedLine } from "../text.ts";

/** Variables available in templates as `{{name}}`. */
export const templateVariables = [
  "name",
  "kind",
  "status",
  "previousStatus",
  "time",
  "url",
  "responseTime",
  "statusCode",
  "expectedStatus",
  "error",
  "hostname",
  "ipAddresses",
  "os",
  "metric",
  "value",
  "threshold",
  "duration",
  "incidentUrl",
  "tags",
  "location",
  "note",
  "target",
  "evidenceBody",
  "severity",
  "link",
  "labels",
] as const;
export type TemplateVariable = (typeof templateVariables)[number];
export type TemplateValues = Readonly<Record<TemplateVariable, string>>;

const placeholder = /\{\{([^{}]*)\}\}/g;

/** Returns the variables in a template that are not in `known`. */
export function unknownVariables(text: string, known: readonly string[] = templateVariables): string[] {
  const names = [...text.matchAll(placeholder)].map(([, name = ""]) => name.trim());
  return [...new Set(names.filter((name) => !known.includes(name)))];
}

/** Fills variables in one pass: values are not expanded again, and a template has no other syntax. */
export function fillTemplate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(placeholder, (whole, given: string) => {
    const name = given.trim();
    return Object.hasOwn(values, name) ? (values[name] ?? "") : whole;
  });
}

/** Rejects a text that contains an unknown variable, and reports its name. */
export const knownVariablesOnly = (text: string, ctx: z.RefinementCtx) => {
  const [unknown] = unknownVariables(text);
  if (unknown === undefined) return;
  const params = { name: unknown.slice(0, 50) };
  ctx.addIssue({ code: "custom", message: "There is no variable named {name}", params });
};

const fields = {
  name: nameOf(100),
  kind: z.enum(templateKinds),
  subject: trimmedLine()
    .min(1, "This field is required")
    .max(200)
    .superRefine(knownVariablesOnly)
    .meta({ pattern: linePattern }),
  content: textOf({ min: 1, max: 4000 }, { min: "This field is required" }).superRefine(knownVariablesOnly),
};

export const templateInput = z.strictObject(fields);
export type TemplateInput = z.output<typeof templateInput>;
export const templatePatch = z.strictObject(fields).partial();
export type TemplatePatch = z.output<typeof templatePatch>;
/** Without subject and content, previews the built-in texts. */
export const templatePreviewInput = z.strictObject({
  kind: fields.kind,
  subject: fields.subject.optional(),
  content: fields.content.optional(),
  language: z.enum(notificationLanguages).optional(),
});
export type TemplatePreviewInput = z.output<typeof templatePreviewInput>;

export const notificationTemplate = z.object({
  id,
  name: z.string(),
  kind: z.enum(templateKinds),
  subject: z.string(),
  content: z.string(),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type NotificationTemplate = z.infer<typeof notificationTemplate>;

export const templateAnswer = success({ template: notificationTemplate });
export const templatesAnswer = success({ templates: z.array(notificationTemplate) });
const words = z.object({ subject: z.string(), content: z.string() });
export const templatePreviewAnswer = success({
  preview: words,
  /** The built-in texts of this kind as a template, to start a new one from. */
  builtIn: words,
});
