import type { AgentSeries, MetricSeries } from "@sonde/proto/rpc/metrics";
import type { MetricPoint } from "@sonde/proto/http/agents/agents";
import { instantOf } from "./instant.ts";

const hundredths = (value: number) => Math.round(value * 100) / 100;

/** An agent's series, each with every step of the range: null where nothing came. Rates in whole bytes a second. */
export function presentAgentMetrics(metrics: AgentSeries) {
  const { fromMs, stepMs, stepCount } = metrics;
  const starts = Array.from({ length: stepCount }, (_, step) => instantOf(fromMs + step * stepMs));
  const points = (series: MetricSeries, rounded = hundredths): MetricPoint[] => {
    const all = starts.map((start): MetricPoint => ({ start, avg: null, max: null }));
    for (const [index, step] of series.steps.entries()) {
      const point = all[step];
      if (point === undefined) continue;
      point.avg = rounded(series.avg[index] ?? 0);
      point.max = rounded(series.max[index] ?? 0);
    }
    return all;
  };
  return {
    step: Math.round(stepMs / 1000),
    cpu: points(metrics.cpu),
    memory: points(metrics.memory),
    load: { one: points(metrics.loadOne), five: points(metrics.loadFive), fifteen: points(metrics.loadFifteen) },
    // Names are an agent's own words: none of them may be taken for a property that objects are born with.
    disks: Object.fromEntries(metrics.disks.map(({ mountPoint, usage }) => [mountPoint, points(usage)])),
    inodes: Object.fromEntries(
      metrics.disks.flatMap(({ mountPoint, inodes }) => (inodes?.steps.length ? [[mountPoint, points(inodes)]] : [])),
    ) as Record<string, MetricPoint[]>,
    network: Object.fromEntries(
      metrics.network.map(({ interface: name, receiveRate, sendRate }) => [
        name,
        { receiveRate: points(receiveRate, Math.round), sendRate: points(sendRate, Math.round) },
      ]),
    ),
  };
}
