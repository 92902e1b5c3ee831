import { AppError, invalid } from "@sonde/kit/errors";
import { type FieldFault, faultsOf } from "@sonde/proto/http/reasons/issues";
import type { Message } from "@sonde/proto/http/messages";
import type { z } from "zod";

/** A body can have a hundred thousand unknown fields. */
const maxErrors = 50;
const maxFields = 200;
const maxEntries = 5000;
const maxId = 2_147_483_647;

/** @throws AppError `invalid` with the path of each problem */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(faultsOf(parsed.error.issues).slice(0, maxErrors));
}

/** @throws AppError `not_found` */
export function readId(text: string | undefined, missing: Message): number {
  const id = text !== undefined && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  // Some messages contain the requested id, so limit its length.
  if (!(id <= maxId)) throw new AppError("not_found", missing, { params: { id: text?.slice(0, 50) ?? "" } });
  return id;
}

/** @throws AppError `not_found` */
export function readTextId(
  text: string | undefined,
  { missing, schema }: { missing: Message; schema: z.ZodType<string> },
): string {
  const { data } = schema.safeParse(text);
  if (data === undefined) throw new AppError("not_found", missing);
  return data;
}

export const isId = (id: number) => Number.isInteger(id) && id > 0 && id <= maxId;

/**
 * Rejects what no schema would accept, or is expensive to reject by schema: NUL (which PostgreSQL cannot store), lone
 * surrogates (which UTF-8 cannot encode), objects with hundreds of fields (zod lists every unknown one), huge lists.
 * @throws AppError `invalid` with the paths
 */
export function refuseHostile(value: unknown): void {
  const problems: FieldFault[] = [];
  inspect(value, [], problems);
  if (problems.length > 0) throw invalid(problems);
}

function inspect(value: unknown, path: (string | number)[], problems: FieldFault[]): void {
  // No schema is this deep: anything below is an unknown field.
  if (problems.length >= maxErrors || path.length > 20) return;
  const addProblem = (message: Message, max?: number) =>
    problems.push({ path: path.join("."), message, params: max === undefined ? undefined : { max } });
  if (typeof value === "string") {
    if (value.includes("\0") || !value.isWellFormed()) addProblem("This value is not valid");
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const isList = Array.isArray(value);
  const keys = isList ? value.keys() : Object.keys(value);
  const size = isList ? value.length : (keys as string[]).length;
  const max = isList ? maxEntries : maxFields;
  if (size > max) return void addProblem("Too many entries (maximum {max})", max);
  for (const key of keys) {
    path.push(key);
    inspect((value as Record<string | number, unknown>)[key], path, problems);
    path.pop();
  }
}
