import { toNestErrors } from "@hookform/resolvers";
import { type FieldFault, faultsOf } from "@sonde/proto/http/reasons/issues";
import { type Language, translate } from "@sonde/proto/http/messages";
import type { FieldErrors, FieldValues, Resolver, ResolverOptions, ResolverResult } from "react-hook-form";
import type { z } from "zod";
import { useState } from "react";

/** A fault of an input, or one that only the form knows, already in the reader's words. */
export type FormFault = FieldFault | { path: string; text: string };

/**
 * A react-hook-form resolver from faults: `check` answers what is wrong with the values as they stand in the form.
 * The first fault of a path is the one shown, in the language that `language` names at that moment.
 */
export function resolveFaults<Values extends FieldValues>(
  check: (values: Values) => FormFault[],
  language: () => Language,
): Resolver<Values> {
  return (values, _context, options) => {
    const faults = check(values);
    if (faults.length === 0) return { values, errors: {} };
    return { values: {}, errors: nest(faults, language(), options) } as ResolverResult<Values>;
  };
}

function nest<Values extends FieldValues>(faults: FormFault[], language: Language, options: ResolverOptions<Values>) {
  const flat: Record<string, { type: string; message: string }> = {};
  for (const fault of faults) {
    const message = "text" in fault ? fault.text : translate(fault.message, language, fault.params);
    flat[fault.path] ??= { type: "invalid", message };
  }
  return toNestErrors(flat as FieldErrors, options);
}

export function schemaFaults(schema: z.ZodType, input: unknown): FieldFault[] {
  const parsed = schema.safeParse(input, { reportInput: true });
  return parsed.success ? [] : faultsOf(parsed.error.issues);
}

type Message = () => string;

/**
 * A message that follows the language: what is kept is the function that words it, called at each render. Words of the
 * server's own stay as they came.
 */
export function useTranslatedMessage(): [message: string | null, setMessage: (message: Message | null) => void] {
  const [message, setMessage] = useState<{ word: Message } | null>(null);
  return [message?.word() ?? null, (word) => setMessage(word === null ? null : { word })];
}
