import type { Reporter } from "../../kills/agents.ts";
import { rateOf } from "../../kills/agents.ts";

export interface Point {
  start: string;
  avg: number | null;
}

/** The API answers whole bytes a second; storing in steps of a thousandth of the value would show as more. */
const tolerance = 1.5;

/**
 * Compares the means of a network rate by steps, as history has them, with those of what a reporter sent and was
 * acknowledged. A single sample that is missing, doubled or other than it was moves a mean by far more than rounding.
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
  const found = new Map(points.map(({ start, avg }) => [Date.parse(start), avg]));
  const losses: string[] = [];
  for (const [startMs, rates] of steps) {
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
    const avg = found.get(startMs) ?? null;
    if (avg !== null && Math.abs(avg - mean) <= tolerance) continue;
    const at = new Date(startMs).toISOString();
    losses.push(`agent ${agentId} at ${at}: a mean of ${avg} instead of ${mean.toFixed(1)} of ${rates.length} samples`);
  }
  return losses;
}
