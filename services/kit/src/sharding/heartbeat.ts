import { z } from "zod";

const heartbeat = z.object({
  id: z.string().min(1),
  /** Slots from here on may be its own. */
  fromMs: z.number(),
  /** It leaves: slots from here on are not its own. */
  untilMs: z.number().optional(),
  /** It only listens so far; other members do not count it. */
  listening: z.literal(true).optional().catch(undefined),
  /** The sender's monotonic clock: shows the sender whether its own echo is fresh. Unused by other members. */
  sentElapsedMs: z.number(),
});

/** A member's state, sent once a second. Instants are epoch milliseconds by its own wall clock. */
export type Heartbeat = z.infer<typeof heartbeat>;

export function encodeHeartbeat(told: Heartbeat): string {
  return JSON.stringify(told);
}

/** A heartbeat as it came, or null when it is not one. */
export function decodeHeartbeat(text: string): Heartbeat | null {
  try {
    return heartbeat.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
