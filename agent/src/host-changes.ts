import type { Host } from "./collectors/host.ts";

/** The facts about the host in a report, beside its samples. */
export type ReportedHost = Host & { version: string };

/** Looking costs little, and addresses change seldom. */
const lookEveryMs = 60_000;

export interface HostChanges {
  /** The facts that were not sent yet: all of them at the start, and again after a change. */
  untold: () => Promise<ReportedHost | undefined>;
  /** The server has it. */
  told: (facts: ReportedHost) => void;
}

/** Sends the host's facts once and when they change, not with each report. */
export function hostChanges(read: () => Promise<ReportedHost>, monotonicMs: () => number): HostChanges {
  let now: ReportedHost | undefined;
  let lookedAtMs = 0;
  let known: string | undefined;
  return {
    async untold() {
      if (now === undefined || monotonicMs() - lookedAtMs >= lookEveryMs) {
        lookedAtMs = monotonicMs();
        // If interfaces cannot be listed, reports continue without.
        now = await read().catch(() => now);
      }
      return now !== undefined && JSON.stringify(now) !== known ? now : undefined;
    },
    told: (facts) => void (known = JSON.stringify(facts)),
  };
}
