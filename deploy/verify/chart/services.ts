import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { keyVariables, variableOfKey } from "@sonde/kit/secret-keys";
import { namesIn } from "@sonde/kit/service/config";
import { loadConfig } from "@sonde/local/processes";
import { keyNames, type ServiceName, serviceNames, services } from "@sonde/proto/services";
import { parse } from "yaml";
import { chart } from "./tools.ts";

/** What charts/sonde/files/services.yaml says of a service. */
export type ChartService = {
  port?: number;
  database?: boolean;
  keys?: string[];
  outside?: boolean;
  talksTo?: string[];
  reachedFrom?: string[];
  retains?: string[];
  reads?: string[];
};

/** The variables that entries of `retains` and `reads` become. */
const retains = { raw: "RETENTION_RAW_DAYS", rollups: "RETENTION_ROLLUP_DAYS", incidents: "RETENTION_INCIDENT_DAYS" };
const reads = {
  publicUrl: ["PUBLIC_URL"],
  trustedProxies: ["TRUSTED_PROXIES"],
  minimumInterval: ["MONITOR_MIN_INTERVAL_SECONDS"],
  deniedRanges: ["PROBE_DENY_CIDRS"],
  registration: ["AUTH_REGISTRATION", "AUTH_SETUP_CODE"],
  agentDownloads: ["AGENT_DOWNLOAD_URL", "AGENT_DOWNLOAD_DIR", "AGENT_DOWNLOAD_KEY"],
  selfWatch: ["SELF_WATCH_URL"],
  caFile: ["CA_FILE"],
};
/** Whose listener a variable leads to. */
const talksTo = { "agent-ingest": "AGENT_INGEST_URL", clickhouse: "CLICKHOUSE_URL" };

/** What the chart or the image gives every service that reads it. */
const given = new Set(["NATS_URL", "NATS_STREAM_REPLICAS", "OPS_PORT", "LOG_LEVEL", "OTEL_EXPORTER_OTLP_ENDPOINT"]);
/** What it gives to single services, by their names, and what it gives to none: `env` of values.yaml is for those. */
const single = new Set(
  "HOST PORT WEB_DIST GATEWAY_UNREADY_SECONDS AGENT_INGEST_HOST AGENT_INGEST_PORT PROBE_LOCATION SONDE_DATA_DIR".split(
    " ",
  ),
);
const leftToEnv = new Set(
  (
    "SONDE_LOCAL SONDE_SOLE_RUNNER FOOTER_BLOG_URL FOOTER_VIDEO_URL FOOTER_MAIL_URL GATEWAY_WAIT_SECONDS GATEWAY_MAX_STREAMS " +
    "GATEWAY_MAX_STREAMS_PER_USER GATEWAY_MAX_PUBLIC_STREAMS_PER_ADDRESS AGENT_MIN_INTERVAL_SECONDS " +
    "AGENT_REPORTS_PER_MINUTE PROBE_MAX_IN_FLIGHT PROBE_MAX_PER_HOST"
  ).split(" "),
);

export const readChartServices = async (): Promise<Record<string, ChartService>> =>
  parse(await readFile(join(chart, "files/services.yaml"), "utf8")) as Record<string, ChartService>;

/** Names where charts/sonde/files/services.yaml differs from the code: services, databases, variables that they read. */
export async function findStaleServices(): Promise<string> {
  const described = await readChartServices();
  const strangers = Object.keys(described).filter((name) => !serviceNames.includes(name as ServiceName));
  const faults = strangers.map((name) => `${name} is no service`);
  for (const name of serviceNames) {
    const entry = described[name];
    if (entry === undefined) faults.push(`${name} is missing`);
    else faults.push(...compare(name, entry, namesIn((await loadConfig(name)).schema)));
  }
  return faults.map((fault) => `charts/sonde/files/services.yaml: ${fault}`).join("\n");
}

/** @param variables those that the service reads */
export function compare(name: ServiceName, entry: ChartService, variables: readonly string[]): string[] {
  const faults: string[] = [];
  const hold = (field: string, says: boolean, variable: string) => {
    if (says === variables.includes(variable)) return;
    faults.push(
      says ? `${name} has ${field}, yet reads no ${variable}` : `${name} reads ${variable}: give it ${field}`,
    );
  };
  if ((entry.database ?? false) !== services[name].hasDatabase) {
    faults.push(`${name}: database is not as in proto/services.ts`);
  }
  hold("database: true", entry.database ?? false, "DATABASE_URL");
  for (const key of keyNames) hold(`${key} in keys`, entry.keys?.includes(key) ?? false, variableOfKey(key));
  for (const [word, variable] of Object.entries(retains)) {
    hold(`${word} in retains`, entry.retains?.includes(word) ?? false, variable);
  }
  for (const [word, [variable = ""]] of Object.entries(reads)) {
    hold(`${word} in reads`, entry.reads?.includes(word) ?? false, variable);
  }
  for (const [word, variable] of Object.entries(talksTo)) {
    hold(`${word} in talksTo`, entry.talksTo?.includes(word) ?? false, variable);
  }
  const known = new Set([
    "DATABASE_URL",
    ...keyVariables,
    ...Object.values(retains),
    ...Object.values(reads).flat(),
    ...Object.values(talksTo),
    ...given,
    ...single,
    ...leftToEnv,
  ]);
  const unknown = variables.filter((variable) => !known.has(variable));
  return [
    ...faults,
    ...unknown.map(
      (variable) =>
        `${name} reads ${variable}, which the chart does not know: give it in templates/_env.tpl, or leave it to env (deploy/verify/chart/services.ts)`,
    ),
  ];
}
