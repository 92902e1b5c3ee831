import * as z from "zod";
import { errorCodes } from "./error-codes.ts";

export * from "./error-codes.ts";

export const failure = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  code: z.enum(errorCodes),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
  requestId: z.string().optional(),
});
export type Failure = z.infer<typeof failure>;

/** A successful response: `success`, an optional message, and named entities. */
export function success<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object({ success: z.literal(true), message: z.string().optional(), ...shape });
}

export const id = z.int().positive();
/** PostgreSQL's largest integer. */
export const maxId = 2_147_483_647;
export const pathId = z.coerce.number().int().positive().max(maxId);
export const rowId = id.max(maxId);
/** Unique row ids. */
export const rowIds = (max: number) =>
  z
    .array(rowId)
    .max(max)
    .overwrite((ids) => [...new Set(ids)]);
export const instant = z.iso.datetime();

/** Query of every list. `sort` is one of the fields; a leading `-` sorts descending. */
export function listQuery<const Fields extends readonly [string, ...string[]]>(fields: Fields) {
  const sorts = fields.flatMap((field) => [field, `-${field}`]) as unknown as [
    Fields[number] | `-${Fields[number]}`,
    ...(Fields[number] | `-${Fields[number]}`)[],
  ];
  return {
    page: z.coerce.number().int().min(1).max(1_000_000).default(1),
    pageSize: z.coerce.number().int().min(1).max(200).default(50),
    search: z.string().max(200).optional(),
    sort: z.enum(sorts).optional(),
  };
}
