import * as z from "zod";
import { instant } from "./envelope.ts";
import type { Message } from "./messages.ts";

/** Minimum minutes for which users can defer messages. */
export const fewestMinutes = 5;

/** Fields for the end of something that starts now. @param most maximum minutes from now */
export const endFields = (max: number) => ({
  until: instant.optional().meta({
    description: `Between ${fewestMinutes} and ${max} minutes from now. Send either this or \`minutes\`.`,
  }),
  minutes: z.int().min(fewestMinutes).max(max).optional(),
});

/** Returns true if exactly one of the two is set. */
export const hasOneEnd = ({ until, minutes }: { until?: string | undefined; minutes?: number | undefined }): boolean =>
  (until === undefined) !== (minutes === undefined);
export const noOneEnd: { path: string[]; message: Message } = {
  path: ["until"],
  message: "Enter either an end time or a number of minutes",
};
