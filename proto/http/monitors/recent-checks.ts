import * as z from "zod";
import { instant, success } from "../envelope.ts";

/** A slot succeeded, failed, or was due and not run. */
const recentCheckStatuses = ["up", "down", "none"] as const;
export type RecentCheckStatus = (typeof recentCheckStatuses)[number];

/** How many of a monitor's newest slots are shown. */
export const recentChecksShown = 30;

const maxMonitors = 200;

/** `ids=1,2,3`: each monitor of a page in one question. */
export const recentChecksQuery = z.strictObject({
  ids: z
    .string()
    .regex(/^[1-9]\d{0,9}(?:,[1-9]\d{0,9})*$/)
    .refine((text) => text.split(",").length <= mostMonitors, {
      message: "Too many entries (maximum {max})",
      params: { max: mostMonitors },
    })
    .transform((text) => [...new Set(text.split(",").map(Number))])
    .meta({
      pattern: String.raw`^[1-9]\d{0,9}(,[1-9]\d{0,9}){0,${mostMonitors - 1}}$`,
      description: `Monitor ids, separated by commas; at most ${mostMonitors}.`,
      examples: ["1,2,3"],
    }),
});

/** One scheduled slot of a monitor, all its locations together. */
export const recentCheck = z.object({
  /** When the slot was due. */
  at: instant,
  status: z.enum(recentCheckStatuses),
  /** Percent of its locations; absent where all of them agree. */
  failed: z.number().optional(),
  /** Milliseconds, the mean of its locations; absent if it was not run. */
  responseTime: z.number().optional(),
  /** The slot lay in a maintenance window: it is outside uptime and coverage. */
  inMaintenance: z.literal(true).optional(),
});
export type RecentCheck = z.infer<typeof recentCheck>;

/** By monitor id, oldest first; every requested id is present, with an empty list if nothing was due yet. */
export const recentChecksAnswer = success({ recentChecks: z.record(z.string(), z.array(recentCheck)) });
