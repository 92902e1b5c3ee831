import { templateVariables, type TemplateVariable } from "@sonde/proto/http/notifications/templates";

/** A name that is being typed: from its opening braces to the cursor. */
export type CompletionRange = { from: number; to: number; options: TemplateVariable[] };

/** What may be meant where the cursor stands after `{{` and a part of a name; null elsewhere. */
export function begunAt(text: string, cursor: number): CompletionRange | null {
  const [whole, part = ""] = /\{\{\s*([A-Za-z]*)$/.exec(text.slice(0, cursor)) ?? [];
  if (whole === undefined) return null;
  const options = templateVariables.filter((name) => name.toLowerCase().startsWith(part.toLowerCase()));
  return options.length === 0 ? null : { from: cursor - whole.length, to: cursor, options };
}

/** Puts a variable in place of a part of a text. Braces that close it already are not doubled. */
export function insertVariable(
  text: string,
  name: TemplateVariable,
  { from, to }: Pick<CompletionRange, "from" | "to">,
): { text: string; cursor: number } {
  const [closed = ""] = /^[A-Za-z]*\s*\}\}/.exec(text.slice(to)) ?? [];
  const inserted = `{{${name}}}`;
  return { text: text.slice(0, from) + inserted + text.slice(to + closed.length), cursor: from + inserted.length };
}
