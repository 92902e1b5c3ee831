import { fill } from "@sonde/proto/http/fill";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import type { z } from "zod";
import type { DocumentError, Place } from "./parse.ts";

const maxErrors = 50;
const orderOf = ({ place }: DocumentError) => (place?.line ?? 0) * 10_000 + (place?.column ?? 0);

export function documentErrors(
  schema: z.ZodType,
  document: unknown,
  { placeOf }: { placeOf: (path: string) => Place | null },
): DocumentError[] {
  const parsed = schema.safeParse(document);
  if (parsed.success) return [];
  return faultsOf(parsed.error.issues)
    .slice(0, maxErrors)
    .map(({ path, message, params }) => ({ path, message: fill(message, params), place: placeOf(path) }))
    .toSorted((one, other) => orderOf(one) - orderOf(other));
}
