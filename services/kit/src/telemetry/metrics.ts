import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The process's metrics, in Prometheus' text format at /metrics of the ops port. */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });

const existing = <Metric>(name: string) => registry.getSingleMetric(name) as Metric | undefined;

/** A counter of that name, made at the first call. */
export function counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
  return (
    existing<Counter<Label>>(name) ??
    new Counter<Label>({ name, help, labelNames: [...labelNames], registers: [registry] })
  );
}

/** A gauge of that name, made at the first call. */
export function gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
  return (
    existing<Gauge<Label>>(name) ?? new Gauge<Label>({ name, help, labelNames: [...labelNames], registers: [registry] })
  );
}

/** A histogram of that name, made at the first call; bucket bounds in the unit that the name states. */
export function histogram<Label extends string = never>(
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly Label[] = [],
) {
  return (
    existing<Histogram<Label>>(name) ??
    new Histogram<Label>({ name, help, buckets: [...buckets], labelNames: [...labelNames], registers: [registry] })
  );
}
