import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import about from "../../package.json" with { type: "json" };

/** Adds Node.js metrics at the first scrape: measuring event loop lag wakes the process ten times a second. */
export class ScrapedRegistry extends Registry {
  private isScraped = false;

  override metrics() {
    this.collectOwn();
    return super.metrics();
  }

  override getMetricsAsJSON() {
    this.collectOwn();
    return super.getMetricsAsJSON();
  }

  private collectOwn() {
    if (this.isScraped) return;
    this.isScraped = true;
    collectDefaultMetrics({ register: this, eventLoopMonitoringPrecision: 100 });
    // OpenMetrics readers take names in `_total` for counters.
    for (const { name } of super.getMetricsAsArray()) {
      if (name.endsWith("_total") && this.getSingleMetric(name) instanceof Gauge) this.removeSingleMetric(name);
    }
  }
}

/** Listed in docs/metrics.md. */
export const registry = new ScrapedRegistry();

const existing = <Metric>(name: string) => registry.getSingleMetric(name) as Metric | undefined;

export function counter<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
  return (
    existing<Counter<Label>>(name) ??
    new Counter<Label>({ name, help, labelNames: [...labelNames], registers: [registry] })
  );
}

export function gauge<Label extends string = never>(name: string, help: string, labelNames: readonly Label[] = []) {
  return (
    existing<Gauge<Label>>(name) ?? new Gauge<Label>({ name, help, labelNames: [...labelNames], registers: [registry] })
  );
}

/** Bucket limits are in the unit of the name. */
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

type Reading<Label extends string> = { labels: Record<Label, string>; value: number };
type Read<Label extends string> = () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>;

const readMs = 3_000;

/**
 * Read on each scrape, so it costs nothing without scrapes. The returned function adds a source, and returns a function
 * that removes it. A source that fails or is too slow is omitted; concurrent scrapes share one reading.
 */
export function scrapedGauge<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
  const parts = new Set<Read<Label>>();
  const readAll = async () => {
    const late = Promise.withResolvers<readonly Reading<Label>[]>();
    const timer = setTimeout(() => late.resolve([]), readMs);
    const readings = [...parts].map((read) => {
      const reading = Promise.resolve().then(read);
      return Promise.race([reading, late.promise]).catch(() => []);
    });
    const all = (await Promise.all(readings)).flat();
    clearTimeout(timer);
    made.reset();
    for (const { labels, value } of all) made.inc(labels, value);
  };
  let reading: Promise<void> | undefined;
  const made: Gauge<Label> = new Gauge<Label>({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect: () => (reading ??= readAll().finally(() => (reading = undefined))),
  });
  return (read: Read<Label>): (() => void) => {
    parts.add(read);
    return () => void parts.delete(read);
  };
}

gauge("sonde_build_info", "Always 1; the labels hold the versions of Sonde and Node.js", ["version", "node"]).set(
  { version: about.version, node: process.versions.node },
  1,
);
