import * as z from "zod";

/** Who owns which fields of an object; all others are of people. */
export const managedBy = z.object({
  source: z.string(),
  key: z.string(),
  place: z.string().optional().meta({ description: "File and line." }),
  fields: z.array(z.string()),
});
export type ManagedBy = z.infer<typeof managedBy>;

export const managedKinds = ["monitor", "channel", "template", "settings", "notify", "maintenance", "page"] as const;
export type ManagedKind = (typeof managedKinds)[number];
