import { z } from "zod";

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

const numeric = new Set<AssertionOp>(["lessThan", "greaterThan"]);
const isNumber = (value: unknown) => value !== "" && Number.isFinite(Number(value));

/** What must hold of a response beside its status. `property` is a header's name or a JSONPath. */
export const assertion = z
  .strictObject({
    source: z.enum(assertionSources),
    property: z.string().max(500).optional(),
    op: z.enum(assertionOps),
    value: z.union([z.string().max(2000), z.number()]).optional(),
  })
  .superRefine(({ source, property, op, value }, ctx) => {
    if (source === "header" && !property) fault(ctx, "property", "A header assertion needs the name of the header");
    if (source === "json" && !property?.startsWith("$")) {
      fault(ctx, "property", "A JSON assertion needs a path such as $.data.ok");
    }
    if (op === "exists") return;
    if (value === undefined) return fault(ctx, "value", "This comparison needs a value");
    if ((numeric.has(op) || source === "latency") && !isNumber(value)) {
      fault(ctx, "value", "This comparison needs a number");
    }
  });
export type Assertion = z.infer<typeof assertion>;

function fault(ctx: z.core.$RefinementCtx, path: string, message: string) {
  ctx.addIssue({ code: "custom", path: [path], message });
}
