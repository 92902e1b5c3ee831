import type { Reporter } from "../../kills/agents.ts";
import { rateOf } from "../../kills/agents.ts";

export interface Point {
  start: string;
  avg: number | null;
}

/** Allows for the API's rounding to whole bytes per second, but not for values stored in steps of 0.1 %. */
const tolerance = 1.5;

/**
 * Compares the mean network rates in history with those of the acknowledged samples. A missing, doubled or changed
 * sample shifts a mean by far more than rounding does.
 */
export function compareSamples(
  { agentId, acknowledged, takenAtMs }: Pick<Reporter, "agentId" | "acknowledged" | "takenAtMs">,
  points: readonly Point[],
  stepMs: number,
): string[] {
  const steps = new Map<number, number[]>();
  for (const sequence of acknowledged) {
    const startMs = Math.floor((takenAtMs[sequence - 1] ?? 0) / stepMs) * stepMs;
    steps.set(startMs, [...(steps.get(startMs) ?? []), rateOf(sequence)]);
  }
  const averages = new Map(points.map(({ start, avg }) => [Date.parse(start), avg]));
  const losses: string[] = [];
  for (const [startMs, rates] of steps) {
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    const avg = averages.get(startMs) ?? null;
    if (avg !== null && Math.abs(avg - mean) <= tolerance) continue;
    const at = new Date(startMs).toISOString();
    losses.push(`agent ${agentId} at ${at}: mean ${avg} instead of ${mean.toFixed(1)} (${rates.length} samples)`);
  }
  return losses;
}
