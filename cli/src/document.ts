import { fill } from "@sonde/proto/http/fill";
import { faultsOf } from "@sonde/proto/http/reasons/issues";
import { z } from "zod";
import type { ConfigFault, ReadConfig } from "./read/read.ts";

// To become `import { configDocument, configFile } from "@sonde/proto/http/config/document"`.
const entries = z.record(z.string(), z.record(z.string(), z.unknown())).optional();
/** What a document may hold, as far as the names of its sections. */
export const configDocument = z.strictObject({
  source: z.string().optional(),
  defaults: entries,
  channels: entries,
  templates: entries,
  monitors: entries,
  maintenance: entries,
  settings: entries,
  page: z.record(z.string(), z.unknown()).optional(),
});
export const configFile = configDocument;

const mostFaults = 50;
const lineOf = ({ place }: ConfigFault) => place?.line ?? 0;

/** What a schema finds in a document, each with its place. */
export function faultsIn(schema: z.ZodType, document: unknown, { placeOf }: ReadConfig): ConfigFault[] {
  const parsed = schema.safeParse(document);
  if (parsed.success) return [];
  return faultsOf(parsed.error.issues)
    .slice(0, mostFaults)
    .map(({ path, message, params }) => ({ path, message: fill(message, params), place: placeOf(path) }))
    .toSorted((one, other) => lineOf(one) - lineOf(other));
}
