/** What a member says of itself once a second. Instants are epoch milliseconds by its own wall clock. */
export type Heartbeat = {
  id: string;
  /** Slots from here on may be its own. */
  fromMs: number;
  /** It leaves: slots from here on are not its own. */
  untilMs?: number;
  /** It only listens so far; nobody else counts it. */
  listening?: true;
  /** The sender's monotonic clock: tells it whether what it hears of itself is fresh. Nobody else reads it. */
  sentElapsedMs: number;
};

export function encodeHeartbeat(heartbeat: Heartbeat): string {
  return JSON.stringify(heartbeat);
}

/** A heartbeat as it came, or null when it is not one. */
export function decodeHeartbeat(text: string): Heartbeat | null {
  try {
    const { id, fromMs, untilMs, listening, sentElapsedMs } = JSON.parse(text) as Record<string, unknown>;
    if (typeof id !== "string" || id === "" || !Number.isFinite(fromMs) || !Number.isFinite(sentElapsedMs)) return null;
    if (untilMs !== undefined && !Number.isFinite(untilMs)) return null;
    return {
      id,
      fromMs: fromMs as number,
      sentElapsedMs: sentElapsedMs as number,
      ...(untilMs === undefined ? {} : { untilMs: untilMs as number }),
      ...(listening === true ? { listening } : {}),
    };
  } catch {
    return null;
  }
}
