import { openOpsPort, type OpsPort } from "@sonde/kit/service/ops-port";
import { counter, registry } from "@sonde/kit/telemetry/metrics";
import { AggregatorRegistry } from "prom-client";
import type { Child, MetricValues } from "./supervisor/child-process.ts";
import { processNames } from "./supervisor/processes.ts";

type Watched = {
  started: () => boolean;
  processes: () => ReadonlyMap<string, Pick<Child, "isUp" | "metrics">>;
};

const missingMetrics = counter(
  "sonde_process_metrics_missing_total",
  "Scrapes that lack the metrics of a process because it did not respond in time",
  ["missing"],
);

/**
 * Opens the ops port of a Sonde in one container. It is ready after the start while every process runs, and serves the
 * metrics of all processes with the label `process`.
 */
export function openOps(port: number, host: string, watched: Watched): Promise<OpsPort> {
  const checks = Object.fromEntries(
    processNames.map((name) => [name, () => watched.processes().get(name)?.isUp() ?? watched.started()]),
  );
  let collecting: Promise<string> | undefined;
  return openOpsPort({
    port,
    host,
    checks: { started: watched.started, ...checks },
    metrics: () => (collecting ??= collect(watched).finally(() => (collecting = undefined))),
    log: {
      // Loaded on demand, because the log takes half a MiB.
      error: (fields, message) =>
        void import("@sonde/kit/service/log").then(({ createLog }) => createLog("supervisor").error(fields, message)),
    },
  });
}

async function collect({ processes }: Watched): Promise<string> {
  const ofProcesses = await Promise.all(
    [...processes()].map(async ([name, process]) => {
      const values = await process.metrics();
      if (values === undefined) missingMetrics.inc({ missing: name });
      return labelled(name, values ?? []);
    }),
  );
  const own = labelled("supervisor", await registry.getMetricsAsJSON());
  return AggregatorRegistry.aggregate([own, ...ofProcesses]).metrics();
}

/** The label makes every series unique, so the aggregation does not add values up. */
function labelled(process: string, metrics: MetricValues): MetricValues {
  return metrics.map((metric) => ({
    ...metric,
    aggregator: "sum" as const,
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
  })) as MetricValues;
}
