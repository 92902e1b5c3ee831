import type { Host } from "./collectors/host.ts";

/** What a report may tell of the host beside its samples. */
export type HostFacts = Host & { version: string };

/** Looking costs little, and addresses change seldom. */
const lookEveryMs = 60_000;

export interface HostChanges {
  /** What the server was not told yet: all of it at the start, and again when something changed. */
  untold: () => Promise<HostFacts | undefined>;
  /** The server has it. */
  told: (facts: HostFacts) => void;
}

/** Tells the host's facts once and when they change, not with each report. */
export function hostChanges(read: () => Promise<HostFacts>, monotonicMs: () => number): HostChanges {
  let now: HostFacts | undefined;
  let lookedAtMs = 0;
  let known: string | undefined;
  return {
    async untold() {
      if (now === undefined || monotonicMs() - lookedAtMs >= lookEveryMs) {
        lookedAtMs = monotonicMs();
        // Where interfaces may not be listed, reports go on without.
        now = await read().catch(() => now);
      }
      return now !== undefined && JSON.stringify(now) !== known ? now : undefined;
    },
    told: (facts) => void (known = JSON.stringify(facts)),
  };
}
