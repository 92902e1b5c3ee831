import * as z from "zod";
import { parseJsonPath } from "./json-path.ts";
import type { MessageParams } from "../fill.ts";
import type { Message } from "../messages.ts";

export const assertionSources = ["body", "header", "json", "latency"] as const;
export type AssertionSource = (typeof assertionSources)[number];
export const assertionOps = [
  "equals",
  "notEquals",
  "contains",
  "notContains",
  "matches",
  "lessThan",
  "greaterThan",
  "exists",
] as const;
export type AssertionOp = (typeof assertionOps)[number];

const numeric: readonly AssertionOp[] = ["lessThan", "greaterThan"];
/** Not applicable to numbers. */
const textual: readonly AssertionOp[] = ["contains", "notContains", "matches"];
const isNumber = (value: string | number) => String(value).trim() !== "" && Number.isFinite(Number(value));
const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const maxShownPart = 60;

/**
 * A condition on a response, besides its status. `property` is a header name or a JSONPath. `monitors` checks that
 * probes can run a pattern, because its engine is too large for browsers.
 */
export const assertion = z
  .strictObject({
    source: z.enum(assertionSources),
    property: z
      .string()
      .max(500)
      .optional()
      .meta({ description: "Header name, or a path such as $.data.ok. Required for header and json." }),
    op: z.enum(assertionOps),
    value: z.union([z.string().max(2000), z.number()]).optional(),
  })
  .superRefine(({ source, property, op, value }, ctx) => {
    if (source === "header") checkHeader(ctx, property);
    if (source === "json") checkPath(ctx, property);
    if (op === "exists") return;
    if (source === "latency" && textual.includes(op)) {
      return fault(ctx, "op", "A response time can only be compared with a number");
    }
    // Every text contains the empty text.
    if (value === undefined || (value === "" && textual.includes(op))) {
      return fault(ctx, "value", "This comparison requires a value");
    }
    if ((numeric.includes(op) || source === "latency") && !isNumber(value)) {
      fault(ctx, "value", "This comparison requires a number");
    }
  })
  .meta({
    if: { properties: { source: { enum: ["header", "json"] } }, required: ["source"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["property"] },
  });
export type Assertion = z.infer<typeof assertion>;

export function checkHeader(ctx: z.core.$RefinementCtx, name: string | undefined) {
  if (!name) fault(ctx, "property", "A header assertion requires a header name");
  else if (!headerName.test(name)) fault(ctx, "property", "This is not a valid response header name");
}

export function checkPath(ctx: z.core.$RefinementCtx, path: string | undefined) {
  if (!path?.startsWith("$")) return fault(ctx, "property", "A JSON assertion requires a path such as $.data.ok");
  const steps = parseJsonPath(path);
  if (!("unread" in steps)) return;
  const part = steps.unread.length > maxShownPart ? `${steps.unread.slice(0, maxShownPart)}…` : steps.unread;
  const message = "The path must select one value, such as $.data.items[0]; this part is not valid: {part}";
  fault(ctx, "property", message, { part });
}

function fault(ctx: z.core.$RefinementCtx, path: string, message: Message, params: MessageParams = {}) {
  ctx.addIssue({ code: "custom", path: [path], message, params });
}
