import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";

const opsPort = 9090;

/** Reads a pod's metrics in Prometheus text format through the API server. */
export function readMetrics({ name, api }: Namespace, { metadata }: Pod): Promise<string> {
  return api.text(`/api/v1/namespaces/${name}/pods/${metadata.name}:${opsPort}/proxy/metrics`);
}

/** Sums the series of a metric whose labels contain `labels`. Returns NaN without any. */
export function sumOf(text: string, metric: RegExp | string, labels = ""): number {
  const name = typeof metric === "string" ? new RegExp(`^${metric}$`) : metric;
  let sum = Number.NaN;
  for (const line of text.split("\n")) {
    const [, is, series = "", value] = /^([a-zA-Z_:][\w:]*)(\{.*\})? ([^ ]+)/.exec(line) ?? [];
    if (is === undefined || !name.test(is) || !series.includes(labels)) continue;
    sum = (Number.isNaN(sum) ? 0 : sum) + Number(value);
  }
  return sum;
}
