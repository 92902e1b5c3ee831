import { openOpsPort, type OpsPort } from "@sonde/kit/service/ops-port";
import { counter, registry } from "@sonde/kit/telemetry/metrics";
import { AggregatorRegistry } from "prom-client";
import type { Child, MetricValues } from "./supervisor/child-process.ts";
import { processNames } from "./supervisor/processes.ts";

type Watched = {
  started: () => boolean;
  processes: () => ReadonlyMap<string, Pick<Child, "isUp" | "metrics">>;
};

const unanswered = counter(
  "sonde_process_metrics_missing_total",
  "Scrapes that lack the metrics of a process because it did not respond in time",
  ["missing"],
);

/**
 * The ops port of a Sonde in one container: ready once everything has started and while every process runs; the metrics
 * of all processes, each with the label `process`.
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
    // Concurrent requests share one collection, so that each process is scraped once at a time.
    metrics: () => (collecting ??= collect(watched).finally(() => (collecting = undefined))),
    log: {
      // Loading the log takes half a MiB, so only an error does.
      error: (fields, message) =>
        void import("@sonde/kit/service/log").then(({ createLog }) => createLog("supervisor").error(fields, message)),
    },
  });
}

async function collect({ processes }: Watched): Promise<string> {
  const answers = await Promise.all(
    [...processes()].map(async ([name, process]) => {
      const values = await process.metrics();
      if (values === undefined) unanswered.inc({ missing: name });
      return labelled(name, values ?? []);
    }),
  );
  const own = labelled("supervisor", await registry.getMetricsAsJSON());
  return AggregatorRegistry.aggregate([own, ...answers]).metrics();
}

/** With this label every series is unique, so the aggregation sums nothing up. */
function labelled(process: string, metrics: MetricValues): MetricValues {
  return metrics.map((metric) => ({
    ...metric,
    aggregator: "sum" as const,
    values: metric.values.map((value) => ({ ...value, labels: { ...value.labels, process } })),
  })) as MetricValues;
}
