import type { Namespace } from "../cluster/namespace.ts";
import type { Pod } from "../cluster/objects.ts";

const opsPort = 9090;

/** What a pod of Sonde measures of itself, in Prometheus' text form, read through the API server. */
export function readMetrics({ name, api }: Namespace, { metadata }: Pod): Promise<string> {
  return api.text(`/api/v1/namespaces/${name}/pods/${metadata.name}:${opsPort}/proxy/metrics`);
}

/** The sum of all series of a metric whose labels match; NaN where there is none. */
export function sumOf(text: string, metric: RegExp | string, labels = ""): number {
  const name = typeof metric === "string" ? new RegExp(`^${metric}$`) : metric;
  let sum = Number.NaN;
  for (const line of text.split("\n")) {
    const [, is, given = "", value] = /^([a-zA-Z_:][\w:]*)(\{.*\})? ([^ ]+)/.exec(line) ?? [];
    if (is === undefined || !name.test(is) || !given.includes(labels)) continue;
    sum = (Number.isNaN(sum) ? 0 : sum) + Number(value);
  }
  return sum;
}
