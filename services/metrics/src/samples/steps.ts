import type { MetricsRange } from "@sonde/proto/http/agents/agents";
import { hourMs } from "../rollups/instants.ts";

const shapes = {
  "1h": { stepMs: 60_000, count: 60 },
  "24h": { stepMs: 300_000, count: 288 },
  "30d": { stepMs: hourMs, count: 720 },
} as const satisfies Record<MetricsRange, { stepMs: number; count: number }>;

/** `count` steps from an instant on (epoch milliseconds), each as long as the others. */
type Steps = { fromMs: number; stepMs: number; count: number };

/** The steps of a range, the last one holding the present. */
export function metricSteps(range: MetricsRange, nowMs: number): Steps {
  const { stepMs, count } = shapes[range];
  return { fromMs: Math.floor(nowMs / stepMs) * stepMs - (count - 1) * stepMs, stepMs, count };
}
