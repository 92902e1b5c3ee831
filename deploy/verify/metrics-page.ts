import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { databaseServices, type ServiceName, serviceNames } from "@sonde/proto/services";
import { parse } from "yaml";
import { root } from "./steps.ts";

// Writes docs/metrics.md: `npm run generate:metrics`. A test fails when it is outdated.

type Metric = { name: string; type: string; help: string; labelNames: string[] };

const describe = (module: string) => `
const { registry } = await import("@sonde/kit/telemetry/metrics");
await import("${module}");
// Node.js metrics appear with the first scrape.
await registry.getMetricsAsJSON();
const described = registry.getMetricsAsArray().map(({ name, type, help, labelNames }) => ({ name, type, help, labelNames }));
process.stdout.write(JSON.stringify(described), () => process.exit(0));`;

/** In one container, it starts the processes and serves their metrics together. */
const supervisor = "supervisor";
const discovery = "discovery";
type Owner = ServiceName | typeof supervisor | typeof discovery;
const others = { "@sonde/local/ops": supervisor, "./services/discovery/src/discovery.ts": discovery } as const;

/** Returns the metrics that exist after a module is loaded, including those of Node.js. */
async function metricsOf(module: string): Promise<Metric[]> {
  const args = ["--input-type=module", "--eval", describe(module)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  return JSON.parse(stdout) as Metric[];
}

export type MetricsByName = Map<string, Metric & { services: Owner[] }>;

export async function readMetrics(): Promise<MetricsByName> {
  const metrics: MetricsByName = new Map();
  for (const service of serviceNames) {
    for (const metric of await metricsOf(`@sonde/${service}`)) {
      const entry = metrics.get(metric.name) ?? { ...metric, services: [] };
      entry.services.push(service);
      metrics.set(metric.name, entry);
    }
  }
  for (const [module, owner] of Object.entries(others)) {
    for (const metric of await metricsOf(module)) {
      if (!metrics.has(metric.name)) metrics.set(metric.name, { ...metric, services: [owner] });
    }
  }
  return metrics;
}

const intro = `# Metrics

Each service serves its own metrics at \`/metrics\` on its \`OPS_PORT\`, in Prometheus text format. For the metrics of your monitors and
agents, see [Prometheus and Grafana](prometheus.md).

With the Helm chart:

- \`monitoring.serviceMonitor.enabled\` adds ServiceMonitors.
- \`monitoring.prometheusRule.enabled\` loads the alerts of \`charts/sonde/files/alerts.yaml\`.
- \`monitoring.dashboards.enabled\` adds the Grafana dashboards of \`charts/sonde/files/dashboards\`.

How to read the tables:

- A name ends with its unit: seconds, bytes, a ratio from 0 to 1, or \`total\` for a counter. A name without a unit is a count.
- Probe runner metrics have the label \`location\`. An all-in-one container adds the label \`process\`.
- No label holds an id, an address or text that a user entered.
- Node.js metrics of prom-client (\`process_*\`, \`nodejs_*\`) are also exported, except its gauges that end in \`_total\`.

\`npm run generate:metrics\` writes this page from the services' metric registries. \`npm test\` fails if it is outdated.
`;

export function renderMetricsPage(metrics: MetricsByName, alerts: readonly AlertRule[]): string {
  const own = [...metrics.values()].filter(({ name }) => name.startsWith("sonde_"));
  const row = ({ name, type, help, labelNames, services }: Metric & { services: Owner[] }, many: boolean) => {
    const using = alerts.filter(({ expr }) => metricsIn(expr).includes(name)).map(({ alert }) => alert);
    const cells = [
      `\`${name}\``,
      type,
      labelNames.map((label) => `\`${label}\``).join(", "),
      help,
      using.join(", "),
      ...(many ? [services.join(", ")] : []),
    ];
    return `| ${cells.join(" | ")} |`;
  };
  const table = (title: string, listed: typeof own, many = false) => {
    if (listed.length === 0) return "";
    const head = ["name", "type", "labels", "meaning", "alerts", ...(many ? ["services"] : [])];
    const lines = [`| ${head.join(" | ")} |`, `|${" --- |".repeat(head.length)}`];
    const rows = listed.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map((metric) => row(metric, many));
    return `\n## ${title}\n\n${[...lines, ...rows].join("\n")}\n`;
  };
  const isOf = (names: readonly string[]) => (metric: (typeof own)[number]) =>
    metric.services.length === names.length && names.every((name) => metric.services.some((owner) => owner === name));
  const [all, withDatabase] = [isOf(serviceNames), isOf(databaseServices)];
  return [
    intro,
    table("All services", own.filter(all)),
    table("Services with a database", own.filter(withDatabase)),
    table(
      "Several services",
      own.filter((metric) => metric.services.length > 1 && !all(metric) && !withDatabase(metric)),
      true,
    ),
    ...serviceNames.map((service) =>
      table(
        service,
        own.filter((metric) => metric.services.join() === service),
      ),
    ),
    table(
      "Kubernetes discovery",
      own.filter(({ services }) => services.join() === discovery),
    ),
    table(
      "All-in-one supervisor",
      own.filter(({ services }) => services.join() === supervisor),
    ),
  ].join("");
}

type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
};

function alertRules(text: string): AlertRule[] {
  const file = parse(text) as { groups?: { rules: AlertRule[] }[] } | null;
  return (file?.groups ?? []).flatMap(({ rules }) => rules);
}

/** Returns the metrics in a query, without the suffixes of histogram series. */
export function metricsIn(expr: string): string[] {
  const names = expr.match(/\b(?:sonde|nodejs|process|kubelet|kube|container)_[a-z0-9_]+/g) ?? [];
  return [
    ...new Set(
      names.map((name) =>
        name.replace(/_seconds_(?:bucket|sum|count)$/, "_seconds").replace(/_rows_(?:bucket|sum|count)$/, "_rows"),
      ),
    ),
  ];
}

export const metricsPagePath = join(root, "docs/metrics.md");
export const readRules = async () => alertRules(await readFile(join(root, "charts/sonde/files/alerts.yaml"), "utf8"));

export async function readDashboardQueries(): Promise<string[]> {
  const folder = join(root, "charts/sonde/files/dashboards");
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.flatMap((text) =>
    [...text.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*")/g)].map(([, found = '""']) => String(JSON.parse(found))),
  );
}

if (import.meta.main) await writeFile(metricsPagePath, renderMetricsPage(await readMetrics(), await readRules()));
