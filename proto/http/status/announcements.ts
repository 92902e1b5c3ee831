import * as z from "zod";
import { instant, listQuery, rowIds, success } from "../envelope.ts";
import { incidentId } from "../incidents/incidents.ts";
import { impacts, updateStates } from "./status.ts";
import { nameOf, textOf } from "../text.ts";
import { onPages } from "./slugs.ts";

const ids = rowIds(500);

const fields = {
  title: nameOf(200, "Title is required", "The title can have at most {max} characters"),
  impact: z.enum(impacts),
  monitors: ids.meta({ description: "Affected API services." }),
  agents: ids.meta({ description: "Affected agents." }),
  incidentId: incidentId.nullable().meta({ description: "The automatic incident that the announcement refers to." }),
  pages: onPages,
};
const text = textOf({ min: 1, max: 10_000 }, { min: "This field is required" })
  .refine((written) => written.trim() !== "", "This field is required")
  .meta({ description: "Markdown.", pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$` });

/** `state` and `text` form the first update; without a text there is none. */
export const announcementInput = z.strictObject({
  ...fields,
  monitors: fields.monitors.default([]),
  agents: fields.agents.default([]),
  incidentId: fields.incidentId.optional(),
  pages: fields.pages.optional(),
  state: z.enum(updateStates).default("investigating"),
  text: textOf({ max: 10_000 }).meta({ description: "Markdown." }).optional(),
});
export type AnnouncementInput = z.input<typeof announcementInput>;
export const announcementPatch = z
  .strictObject({
    ...fields,
    postMortem: textOf({ max: 50_000 }).nullable().meta({ description: "Post-mortem in Markdown; null removes it." }),
  })
  .partial();
export const announcementUpdateInput = z.strictObject({ state: z.enum(updateStates), text });

export const announcement = z.object({
  id: z.int(),
  title: z.string(),
  impact: z.enum(impacts),
  monitors: z.array(z.int()),
  agents: z.array(z.int()),
  incidentId: z.string().optional(),
  pages: z
    .array(z.string())
    .optional()
    .meta({ description: "Slugs of pages; absent means all pages that show one of its targets." }),
  state: z.enum(updateStates),
  updates: z
    .array(z.object({ id: z.int(), state: z.enum(updateStates), text: z.string(), at: instant }))
    .meta({ description: "Oldest first." }),
  postMortem: z.string().optional(),
  createdAt: instant,
  updatedAt: instant,
  resolvedAt: instant.optional(),
});
export type Announcement = z.infer<typeof announcement>;

const { page, pageSize } = listQuery(["createdAt"]);
export const announcementsQuery = z.strictObject({
  page,
  pageSize,
  open: z.enum(["true", "false"]).optional(),
  incidentId: incidentId.optional().meta({ description: "Only announcements about this automatic incident." }),
});
export const announcementAnswer = success({ announcement });
export const announcementsAnswer = success({ announcements: z.array(announcement), total: z.int() });
