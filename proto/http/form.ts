import * as z from "zod";

/**
 * How a field is entered. A `secret` is typed unseen, sealed when stored and masked when shown. `lines` is code,
 * `paragraph` prose, and `list` has one entry a line.
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

/** A field as a form draws it. Its words are in the catalogues of the web app. */
export type FormField<Name extends string = string> = {
  name: Name;
  input: FieldInput;
  /** An example, the same in every language. */
  placeholder?: string;
  /** Shown on demand. */
  advanced?: true;
};

/** The options of an enum, which may be optional, nullable or have a default; none for any other schema. */
export function choicesOf(schema: unknown): string[] {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable)
    inner = inner.unwrap();
  return inner instanceof z.ZodEnum ? inner.options.map(String) : [];
}
