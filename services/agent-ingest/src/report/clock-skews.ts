import { type Heard, type KnownSkew, measureSkew } from "./skew.ts";

/** What this process knows of agents' clocks. */
export type ClockSkews = {
  /** How far the agent's clock is ahead of ours, milliseconds. */
  measure(agentId: number, heard: Heard): number;
};

const most = 100_000;

export function createClockSkews(): ClockSkews {
  const known = new Map<number, KnownSkew>();
  return {
    measure(agentId, heard) {
      const next = measureSkew(heard, known.get(agentId));
      // The oldest goes: it is measured anew when it speaks again.
      if (known.size >= most && !known.has(agentId)) known.delete(known.keys().next().value as number);
      known.set(agentId, next);
      return next.skewMs;
    },
  };
}
