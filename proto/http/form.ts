import * as z from "zod";

/**
 * Input type of a field. A `secret` is hidden while typing, sealed when stored and masked when shown. `lines` is for
 * code, `paragraph` for prose, and `list` has one entry per line.
 */
type FieldInput =
  | "text"
  | "paragraph"
  | "url"
  | "number"
  | "choice"
  | "switch"
  | "secret"
  | "lines"
  | "list"
  | "headers";

/** A field of a form. Its labels are in the web app's catalogues. */
export type FormField<Name extends string = string> = {
  name: Name;
  input: FieldInput;
  /** Example that is the same in every language. */
  placeholder?: string;
  /** Hidden under advanced settings. */
  advanced?: true;
};

/** Returns the options of an enum, also if it is optional, nullable or has a default; empty for any other schema. */
export function choicesOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable)
    inner = inner.unwrap();
  return inner instanceof z.ZodEnum ? inner.options.map(String) : [];
}
