import * as z from "zod";
import { managedBy } from "../config/managed.ts";
import { instant, listQuery, rowIds, success } from "../envelope.ts";
import type { Message } from "../messages.ts";
import { isTimeZone } from "../notifications/settings.ts";
import { tag } from "../tags.ts";
import { nameOf, textOf } from "../text.ts";
import { onPages } from "./slugs.ts";

const maintenanceStatuses = ["scheduled", "running", "ended"] as const;
export type MaintenanceStatus = (typeof maintenanceStatuses)[number];

const ids = rowIds(500);
export const maxTagsCovered = 20;

const fields = {
  name: nameOf(100),
  note: textOf({ max: 4000 }).meta({
    description: "Markdown shown on the page; empty for none.",
  }),
  monitors: ids,
  agents: ids,
  tags: z
    .array(tag)
    .max(maxTagsCovered)
    .overwrite((tags) => [...new Set(tags)])
    .meta({ description: "Covers the monitors and agents that have one of these tags during an occurrence." }),
  start: instant.meta({ description: "Start of the first occurrence." }),
  end: instant.meta({ description: "End of the first occurrence, at most 31 days after its start." }),
  timeZone: z
    .string()
    .min(1)
    .max(64)
    .refine(isTimeZone, "Unknown time zone")
    .meta({ description: "IANA time zone. Occurrences keep their local time across daylight saving changes." }),
  rrule: z.string().max(500).meta({
    description:
      "Recurrence rule (RFC 5545, without DTSTART), at most once a day, such as `FREQ=WEEKLY;BYDAY=SU`; empty for a single occurrence.",
  }),
  public: z
    .boolean()
    .meta({ description: "Lists the window on the page. Covered services are shown as in maintenance either way." }),
  pages: onPages,
};

export const maintenanceInput = z.strictObject({
  ...fields,
  note: fields.note.optional(),
  monitors: fields.monitors.default([]),
  agents: fields.agents.default([]),
  tags: fields.tags.default([]),
  timeZone: fields.timeZone.default("UTC"),
  rrule: fields.rrule.optional(),
  public: fields.public.default(true),
  pages: fields.pages.optional(),
});
export const maintenancePatch = z.strictObject(fields).partial();

const span = z.object({ start: instant, end: instant });

export const maintenance = z.object({
  id: z.int(),
  ...fields,
  tags: z.array(z.string()).default([]),
  note: z.string().optional(),
  rrule: z.string().optional(),
  pages: z
    .array(z.string())
    .optional()
    .meta({ description: "Slugs of pages; absent means all pages that show one of its targets." }),
  status: z.enum(maintenanceStatuses),
  next: span.optional().meta({ description: "The running occurrence, or the next one." }),
  upcoming: z.array(span).default([]).meta({ description: "The running occurrence and the next ones, at most three." }),
  managed: managedBy.optional(),
  createdAt: instant,
  updatedAt: instant,
});
export type Maintenance = z.infer<typeof maintenance>;

const { page, pageSize } = listQuery(["createdAt"]);
export const maintenanceQuery = z.strictObject({ page, pageSize, status: z.enum(maintenanceStatuses).optional() });
export const maintenanceAnswer = success({ maintenance });

const maxCalendarDays = 62;
export const occurrencesQuery = z
  .strictObject({
    from: instant.meta({ description: `Start of the period, at most ${maxCalendarDays} days long.` }),
    until: instant.meta({ description: "End of the period." }),
  })
  .refine(({ from, until }) => Date.parse(until) > Date.parse(from), {
    path: ["until"],
    message: "The end must be after the start" satisfies Message,
  })
  .refine(({ from, until }) => Date.parse(until) - Date.parse(from) <= maxCalendarDays * 86_400_000, {
    path: ["until"],
    message: "The period can be at most 62 days" satisfies Message,
  });
export const occurrencesAnswer = success({
  occurrences: z.array(span.extend({ id: z.int(), name: z.string() })),
  more: z.boolean().meta({ description: "Whether there are more occurrences than fit into the response." }),
});
export type MaintenanceOccurrence = z.infer<typeof occurrencesAnswer>["occurrences"][number];

export const maintenanceListAnswer = success({ maintenance: z.array(maintenance), total: z.int() });
