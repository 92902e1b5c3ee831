import * as z from "zod";
import { instant } from "./envelope.ts";
import type { Message } from "./messages.ts";

/** The shortest time that users may defer messages for. */
export const fewestMinutes = 5;

/** When something that begins now ends. @param most minutes from now, at the most */
export const endFields = (max: number) => ({
  until: instant.optional().meta({
    description: `Between ${fewestMinutes} and ${most} minutes from now. Send either this or \`minutes\`.`,
  }),
  minutes: z.int().min(fewestMinutes).max(max).optional(),
});

/** Whether one of both is given. */
export const hasOneEnd = ({ until, minutes }: { until?: string | undefined; minutes?: number | undefined }): boolean =>
  (until === undefined) !== (minutes === undefined);
export const noOneEnd: { path: string[]; message: Message } = {
  path: ["until"],
  message: "Enter either an end time or a number of minutes",
};
