import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { instant, listQuery, rowIds, success } from "../envelope.ts";
import { isTimeZone } from "../notifications/settings.ts";
import { nameOf, textOf } from "../text.ts";
import { onPages } from "./slugs.ts";

const maintenanceStatuses = ["scheduled", "running", "ended"] as const;
export type MaintenanceStatus = (typeof maintenanceStatuses)[number];

const ids = rowIds(500);

const fields = {
  name: nameOf(100),
  note: textOf({ max: 4000 }).meta({
    description: "Markdown, shown on the page; empty: none.",
  }),
  monitors: ids,
  agents: ids,
  start: instant.meta({ description: "Of the first occurrence." }),
  end: instant.meta({ description: "Of the first occurrence, at most 31 days after its start." }),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, "Unknown time zone")
    .meta({ description: "IANA: recurrences keep their hour of day there, across changes of summer time." }),
  rrule: z.string().max(500).meta({
    description: "How it recurs (RFC 5545, without DTSTART), at most once a day: `FREQ=WEEKLY;BYDAY=SU`; empty: once.",
  }),
  public: z
    .boolean()
    .meta({ description: "Whether the page tells of it. What it covers is shown as in maintenance in any case." }),
  pages: onPages,
};

export const maintenanceInput = z.strictObject({
  ...fields,
  note: fields.note.optional(),
  monitors: fields.monitors.default([]),
  agents: fields.agents.default([]),
  timeZone: fields.timeZone.default("UTC"),
  rrule: fields.rrule.optional(),
  public: fields.public.default(true),
  pages: fields.pages.optional(),
});
export const maintenancePatch = z.strictObject(fields).partial();

export const maintenance = z.object({
  id: z.int(),
  ...fields,
  note: z.string().optional(),
  rrule: z.string().optional(),
  pages: z.array(z.string()).optional().meta({ description: "Absent: those that show one of its targets." }),
  status: z.enum(maintenanceStatuses),
  next: z
    .object({ start: instant, end: instant })
    .optional()
    .meta({ description: "The occurrence that runs, else the next one." }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type Maintenance = z.infer<typeof maintenance>;

const { page, pageSize } = listQuery(["createdAt"]);
export const maintenanceQuery = z.strictObject({ page, pageSize, status: z.enum(maintenanceStatuses).optional() });
export const maintenanceAnswer = success({ maintenance });
export const maintenanceListAnswer = success({ maintenance: z.array(maintenance), total: z.int() });
