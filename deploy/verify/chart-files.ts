import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { authorizationFromEnvironment } from "@sonde/kit/embedded/nats-users";
import { parse } from "yaml";
import { dashboardFiles } from "../grafana/dashboards.ts";
import { root } from "./steps.ts";

const madeOf = "# Made from proto/permissions.ts by `npm run generate:chart`.";

/** A user for each location; and runners of the version before, which run until their pods are replaced. */
const ofChart = {
  location: "{{ . }}",
  before: "{{- range .locations }}\n",
  after: "\n{{- end }}",
  variable: "NATS_PASSWORD_PROBE_RUNNER_{{ . }}",
  withPrevious: true,
};
/** Compose has one location: the container writes it in. */
const ofCompose = { location: "LOCATION", variable: "NATS_PASSWORD_PROBE_RUNNER" };

/** The chart's files that are made from the code, by their paths in the repository. */
export function chartFiles(): Map<string, string> {
  return new Map([
    ["charts/sonde/files/nats-users.conf", `${madeOf}\n${authorizationFromEnvironment(ofChart)}`],
    ["deploy/compose/nats-users.conf", `${madeOf}\n${authorizationFromEnvironment(ofCompose)}`],
    ["charts/sonde/files/defaults.json", `${JSON.stringify(chartDefaults(), null, 2)}\n`],
    ...dashboardFiles(),
  ]);
}

/** values.yaml, which no template of the chart sees as it is. */
const chartDefaults = () => parse(readFileSync(join(root, "charts/sonde/values.yaml"), "utf8")) as unknown;

/** Names each file of the chart that differs from what the code says. */
export async function findStaleChartFiles(): Promise<string> {
  const stale: string[] = [];
  for (const [path, text] of chartFiles()) {
    const committed = await readFile(join(root, path), "utf8").catch(() => "");
    if (committed !== text) stale.push(`${path} is not current: run npm run generate:chart`);
  }
  return stale.join("\n");
}
