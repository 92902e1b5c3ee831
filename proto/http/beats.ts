import { z } from "zod";
import { instant, success } from "./envelope.ts";

/** A slot was answered well, was answered badly, or was due and run by nobody. */
export const beatStatuses = ["up", "down", "none"] as const;
export type BeatStatus = (typeof beatStatuses)[number];

/** How many of a monitor's newest slots are told. */
export const beatsShown = 30;

const mostMonitors = 200;

/** `ids=1,2,3`: each monitor of a page in one question. */
export const beatsQuery = z.strictObject({
  ids: z
    .string()
    .regex(/^[1-9]\d{0,9}(?:,[1-9]\d{0,9})*$/)
    .refine((text) => text.split(",").length <= mostMonitors, {
      message: "Too many entries (at most {max})",
      params: { max: mostMonitors },
    })
    .transform((text) => [...new Set(text.split(",").map(Number))])
    .meta({
      pattern: String.raw`^[1-9]\d{0,9}(,[1-9]\d{0,9}){0,${mostMonitors - 1}}$`,
      description: `Ids of monitors with commas between them, ${mostMonitors} at most.`,
      examples: ["1,2,3"],
    }),
});

/** One scheduled slot of a monitor, all its locations together. */
export const beat = z.object({
  /** When the slot was due. */
  at: instant,
  status: z.enum(beatStatuses),
  /** Milliseconds, the mean of its locations; absent where nobody ran it. */
  responseTime: z.number().optional(),
});
export type Beat = z.infer<typeof beat>;

/** By monitor id, oldest first; every id that was asked for is there, with an empty list where nothing was due yet. */
export const beatsAnswer = success({ beats: z.record(z.string(), z.array(beat)) });
