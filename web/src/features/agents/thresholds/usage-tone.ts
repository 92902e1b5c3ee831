import type { Agent, Sample, ThresholdsInForce } from "@sonde/proto/http/agents/agents";

/** Percent by metric; null: no notification. */
export type Thresholds = Pick<ThresholdsInForce, "cpu" | "memory" | "disk">;
export const thresholdMetrics = ["cpu", "memory", "disk"] as const satisfies readonly (keyof Thresholds)[];
export type ThresholdMetric = (typeof thresholdMetrics)[number];

/** So many points below its threshold a figure is drawn as a warning. */
const nearPoints = 10;

/** How a percentage is drawn: above its threshold, as an incident opens, near it, or neither. */
export function usageTone(
  percent: number | null | undefined,
  threshold: number | null | undefined,
): "plain" | "warn" | "down" {
  if (percent == null || threshold == null) return "plain";
  return percent > threshold ? "down" : percent > threshold - nearPoints ? "warn" : "plain";
}

type Disk = NonNullable<Sample["disks"]>[number];

/** The disk that is used most; in a list it is the only one. */
export function fullestDisk(sample: Sample | undefined): Disk | undefined {
  return sample?.disks?.toSorted((left, right) => right.usage - left.usage)[0];
}

/** The percentages that have thresholds. */
export function usagesOf({ latest }: Agent): Record<ThresholdMetric, number | null | undefined> {
  return { cpu: latest?.cpu?.usage, memory: latest?.memory?.usage, disk: fullestDisk(latest)?.usage };
}
