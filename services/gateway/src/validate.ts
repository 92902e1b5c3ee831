import { AppError, invalid } from "@sonde/kit/errors";
import { type FieldFault, faultsOf } from "@sonde/proto/http/reasons/issues";
import type { Message } from "@sonde/proto/http/messages";
import type { z } from "zod";

/** Limits the reported faults, since a body can hold a hundred thousand unknown fields. */
const maxErrors = 50;
const maxFields = 200;
const maxEntries = 5000;
const largestId = 2_147_483_647;

/** Checks a value by its schema. @throws AppError `invalid` with the path of each fault. */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(faultsOf(parsed.error.issues).slice(0, maxErrors));
}

/** The id that a path holds. @throws AppError `not_found` with the noun's own words for anything that can be none. */
export function readId(text: string | undefined, missing: Message): number {
  const id = text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  // Some messages contain the requested id, which is cut to a sensible length.
  if (!(id <= largestId)) throw new AppError("not_found", missing, { params: { id: text?.slice(0, 50) ?? "" } });
  return id;
}

/** The same of an id that is a text of a certain form. @throws AppError `not_found` */
export function readTextId(
  text: string | undefined,
  { missing, schema }: { missing: Message; schema: z.ZodType<string> },
): string {
  const { data } = schema.safeParse(text);
  if (data === undefined) throw new AppError("not_found", missing);
  return data;
}

export const isId = (id: number) => Number.isInteger(id) && id > 0 && id <= largestId;

/**
 * Refuses in a parsed JSON value what no schema would take, and what would cost much to refuse by a schema: NUL in a
 * text (PostgreSQL has no place for it), half a character (a lone surrogate, which UTF-8 cannot carry), objects of hundreds of fields (zod names every unknown one), huge lists.
 * @throws AppError `invalid` with the paths
 */
export function refuseHostile(value: unknown): void {
  const faults: FieldFault[] = [];
  inspect(value, [], faults);
  if (faults.length > 0) throw invalid(faults);
}

function inspect(value: unknown, path: (string | number)[], faults: FieldFault[]): void {
  // No schema is this deep: anything below is an unknown field.
  if (faults.length >= maxErrors || path.length > 20) return;
  const fault = (message: Message, max?: number) =>
    faults.push({ path: path.join("."), message, params: max === undefined ? undefined : { max } });
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) fault("This value is not valid");
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  const keys = isList ? value.keys() : Object.keys(value);
  const size = isList ? value.length : (keys as string[]).length;
  const max = isList ? maxEntries : maxFields;
  if (size > max) return void fault("Too many entries (maximum {max})", max);
  for (const key of keys) {
    path.push(key);
    inspect((value as Record<string | number, unknown>)[key], path, faults);
    path.pop();
  }
}
