import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { metricsIn } from "./alert-rules.ts";
import { type Metrics, pagePath, readMetrics, readRules, writePage } from "./metrics-page.ts";

let metrics: Metrics;
beforeAll(async () => void (metrics = await readMetrics()), 240_000);

const own = () => [...metrics.values()].filter(({ name }) => name.startsWith("sonde_"));

test("docs/metrics.md lists exactly the metrics that the services have", async () => {
  const page = await readFile(pagePath, "utf8");
  expect(page, "run npm run generate:metrics").toBe(writePage(metrics, await readRules()));
});

test("names follow Prometheus' conventions, and no label may hold an id", () => {
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

/** Labels whose words sound unbounded, and are not. */
const allowed = new Set([
  "sonde_agent_request_seconds path",
  "sonde_agent_path_refused_total path",
  "sonde_offload_replaced_total name",
]);

test("a histogram's series are named after it", () => {
  expect(metricsIn("sum(rate(sonde_rpc_server_seconds_bucket[5m])) / sonde_metrics_block_rows_sum")).toEqual([
    "sonde_rpc_server_seconds",
    "sonde_metrics_block_rows",
  ]);
});
