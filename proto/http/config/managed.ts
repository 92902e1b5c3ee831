import * as z from "zod";

/** Source and its managed fields of an object; all other fields stay editable. */
export const managedBy = z.object({
  source: z.string(),
  key: z.string(),
  place: z.string().optional().meta({ description: "File and line." }),
  fields: z.array(z.string()),
});
export type ManagedBy = z.infer<typeof managedBy>;

export const managedKinds = [
  "monitor",
  "channel",
  "template",
  "schedule",
  "policy",
  "drill",
  "slo",
  "report",
  "settings",
  "notify",
  "maintenance",
  "page",
] as const;
export type ManagedKind = (typeof managedKinds)[number];
