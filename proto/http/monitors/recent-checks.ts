import * as z from "zod";
import { instant, success } from "../envelope.ts";

/** A slot succeeded, failed, or was due but not run. */
const recentCheckStatuses = ["up", "down", "none"] as const;
export type RecentCheckStatus = (typeof recentCheckStatuses)[number];

/** Number of newest slots shown per monitor. */
export const recentChecksShown = 30;

const maxMonitors = 200;

/** `ids=1,2,3`: all monitors of a list page in one request. */
export const recentChecksQuery = z.strictObject({
  ids: z
    .string()
    .regex(/^[1-9]\d{0,9}(?:,[1-9]\d{0,9})*$/)
    .refine((text) => text.split(",").length <= maxMonitors, {
      message: "Too many entries (maximum {max})",
      params: { max: maxMonitors },
    })
    .transform((text) => [...new Set(text.split(",").map(Number))])
    .meta({
      pattern: String.raw`^[1-9]\d{0,9}(,[1-9]\d{0,9}){0,${maxMonitors - 1}}$`,
      description: `Monitor ids, separated by commas; at most ${maxMonitors}.`,
      examples: ["1,2,3"],
    }),
});

/** A scheduled slot of a monitor, over all its locations. */
export const recentCheck = z.object({
  /** Due time of the slot. */
  at: instant,
  status: z.enum(recentCheckStatuses),
  /** Percent of failed locations; absent if all agree. */
  failed: z.number().optional(),
  /** Milliseconds, averaged over its locations; absent if it was not run. */
  responseTime: z.number().optional(),
  /** True if the slot was in a maintenance window and is therefore outside uptime and coverage. */
  inMaintenance: z.literal(true).optional(),
});
export type RecentCheck = z.infer<typeof recentCheck>;

/** By monitor id, oldest first. Contains every requested id, with an empty list if nothing was due yet. */
export const recentChecksAnswer = success({ recentChecks: z.record(z.string(), z.array(recentCheck)) });
