import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { familiesOf } from "../../services/gateway/src/prometheus/families.ts";
import { beforeAll, expect, test } from "vitest";
import {
  metricsIn,
  type MetricsByName,
  metricsPagePath,
  readDashboardQueries,
  readMetrics,
  readRules,
  renderMetricsPage,
} from "./metrics-page.ts";
import { root } from "./steps.ts";

let metrics: MetricsByName;
beforeAll(async () => void (metrics = await readMetrics()), 240_000);

const own = () => [...metrics.values()].filter(({ name }) => name.startsWith("sonde_"));

test("docs/metrics.md is current", async () => {
  const page = await readFile(metricsPagePath, "utf8");
  expect(page, "run npm run generate:metrics").toBe(renderMetricsPage(metrics, await readRules()));
});

test("names follow Prometheus' conventions, and no label contains an id", () => {
  for (const { name, type, labelNames, help } of own()) {
    expect(name).toMatch(/^sonde(_[a-z]+)+$/);
    expect([name, name.endsWith("_total")]).toEqual([name, type === "counter"]);
    if (type === "histogram") expect(name).toMatch(/_(seconds|bytes|rows)$/);
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|percent|count|sum|bucket)$/);
    expect(
      labelNames.filter(
        (label) => /id|url|host|address|name$|user|message|path$/i.test(label) && !allowed.has(`${name} ${label}`),
      ),
    ).toEqual([]);
    expect(help.length).toBeGreaterThan(10);
    expect(help).not.toMatch(/[|\n]/);
  }
});

/** Labels that sound unbounded but are not. */
const allowed = new Set([
  "sonde_agent_request_seconds path",
  "sonde_agent_path_refused_total path",
  "sonde_offload_replaced_total name",
]);

test("alerts and dashboards use only existing metrics", async () => {
  const documented = [...(await readFile(join(root, "docs/prometheus.md"), "utf8")).matchAll(/expr: (.+)/g)];
  expect(documented).toHaveLength(3);
  const expressions = [
    ...(await readRules()).map(({ expr }) => expr),
    ...(await readDashboardQueries()),
    ...documented.map(([, expr = ""]) => expr),
  ];
  const named = [...new Set(expressions.flatMap(metricsIn))].filter((name) => !isOfKubernetes(name));
  expect(named.filter((name) => !metrics.has(name) && !scraped.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

test("every alert has a severity, a description and a test", async () => {
  const tests = await readFile(join(root, "deploy/verify/alerts.test.yaml"), "utf8");
  for (const { alert, labels, annotations } of await readRules()) {
    expect(["critical", "warning"], alert).toContain(labels?.["severity"]);
    expect(annotations?.["summary"], alert).toMatch(/\.$/);
    expect(annotations?.["description"]?.length, alert).toBeGreaterThan(80);
    expect(tests).toContain(alert);
  }
});

const scraped = new Set(
  familiesOf({
    monitors: [],
    agents: [],
    uptimes: null,
    phases: null,
    slos: [],
    openIncidents: {},
    inMaintenance: { monitor: new Set(), agent: new Set() },
  }).map(({ name }) => name),
);
const isOfKubernetes = (name: string) => /^(kubelet|kube|container)_/.test(name);

test("series of a histogram are mapped to its name", () => {
  expect(metricsIn("sum(rate(sonde_rpc_server_seconds_bucket[5m])) / sonde_metrics_block_rows_sum")).toEqual([
    "sonde_rpc_server_seconds",
    "sonde_metrics_block_rows",
  ]);
});
