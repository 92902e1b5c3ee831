import { z } from "zod";
import { instant } from "../envelope.ts";

/** One request to a provider, and its outcome. */
export const attempt = z.object({
  at: instant,
  statusCode: z.int().optional(),
  answer: z.string().meta({ description: "In the provider's words, or what went wrong on the way." }),
  durationMs: z.number(),
});
export type Attempt = z.infer<typeof attempt>;
