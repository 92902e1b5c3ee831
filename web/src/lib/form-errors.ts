import { toNestErrors } from "@hookform/resolvers";
import { type FieldFault, faultsOf } from "@sonde/proto/http/reasons/issues";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { FieldErrors, FieldValues, Resolver, ResolverOptions, ResolverResult } from "react-hook-form";
import type { z } from "zod";
import { useState } from "react";

/** An error of the input, or one that only the form detects, already translated. */
export type FormError = FieldFault | { path: string; text: string };

/** Creates a react-hook-form resolver from `check`. Shows the first error of each path in `language`. */
export function errorResolver<Values extends FieldValues>(
  check: (values: Values) => FormError[],
  language: () => Language,
): Resolver<Values> {
  return (values, _context, options) => {
    const errors = check(values);
    if (errors.length === 0) return { values, errors: {} };
    return { values: {}, errors: nest(errors, language(), options) } as ResolverResult<Values>;
  };
}

function nest<Values extends FieldValues>(errors: FormError[], language: Language, options: ResolverOptions<Values>) {
  const flat: Record<string, { type: string; message: string }> = {};
  for (const error of errors) {
    const message = "text" in error ? error.text : translate(error.message, language, error.params);
    flat[error.path] ??= { type: "invalid", message };
  }
  return toNestErrors(flat as FieldErrors, options);
}

export function schemaErrors(schema: z.ZodType, input: unknown): FieldFault[] {
  const parsed = schema.safeParse(input, { reportInput: true });
  return parsed.success ? [] : faultsOf(parsed.error.issues);
}

type Message = () => string;

/** State for a message that is translated on each render. Server messages stay as received. */
export function useTranslatedMessage(): [message: string | null, setMessage: (message: Message | null) => void] {
  const [message, setMessage] = useState<{ word: Message } | null>(null);
  return [message?.word() ?? null, (word) => setMessage(word === null ? null : { word })];
}
