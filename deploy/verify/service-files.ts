import about from "../../package.json" with { type: "json" };
import { variablesOf } from "@sonde/kit/service/config";
import { type KeyName, keyVariables, variableOfKey } from "@sonde/kit/secret-keys";
import { loadConfigModule } from "@sonde/local/supervisor/processes";
import { schemaOf, type ServiceDescription, type ServiceName, serviceNames, services } from "@sonde/proto/services";

export type ServiceFacts = ServiceDescription & { name: string; variables: readonly string[] };

export const readServices = (): Promise<ServiceFacts[]> =>
  Promise.all(
    serviceNames.map(async (name) => ({
      ...services[name],
      name,
      variables: variablesOf((await loadConfigModule(name)).schema),
    })),
  );

export const generatedNote = "# Generated from proto/services.ts by `npm run generate:chart`";

/** Replaces the text between `# Generated from …` and `# End of the generated part.` in a hand-written file. */
export function withParts(file: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [part, made]) => {
    const region = new RegExp(`(${generatedNote}: ${part}\\.\\n)[\\s\\S]*?(\\n *# End of the generated part\\.)`);
    if (!region.test(text)) throw new Error(`there is no part "${part}" to generate`);
    return text.replace(region, (_, begin: string, end: string) => `${begin}${made.trimEnd()}${end}`);
  }, file);
}

/** Chart settings and their variables, which templates/_env.tpl sets if a service reads the first one. */
const chartRetains = {
  raw: "RETENTION_RAW_DAYS",
  rollups: "RETENTION_ROLLUP_DAYS",
  incidents: "RETENTION_INCIDENT_DAYS",
  audit: "RETENTION_AUDIT_DAYS",
};
const chartReads = {
  publicUrl: ["PUBLIC_URL"],
  trustedProxies: ["TRUSTED_PROXIES"],
  minimumInterval: ["MONITOR_MIN_INTERVAL_SECONDS"],
  deniedRanges: ["PROBE_DENY_CIDRS"],
  registration: ["AUTH_REGISTRATION", "AUTH_SETUP_CODE", "AUTH_FACTOR"],
  agentDownloads: ["AGENT_DOWNLOAD_URL", "AGENT_DOWNLOAD_DIR", "AGENT_DOWNLOAD_KEY"],
  oidc: [
    "OIDC_ISSUER",
    "OIDC_CLIENT_ID",
    "OIDC_CLIENT_SECRET",
    "OIDC_TOKEN_AUTH",
    "OIDC_NAME",
    "OIDC_SCOPES",
    "OIDC_ROLE_CLAIM",
    "OIDC_ROLES",
    "OIDC_OTHERWISE",
  ],
  selfWatch: ["SELF_WATCH_URL"],
  caFile: ["CA_FILE"],
  config: ["SONDE_CONFIG_DIR", "SONDE_CONFIG_ALLOW_DELETE"],
};
/** Variables with the address of a service or server. */
const chartTalksTo = { "agent-ingest": "AGENT_INGEST_URL", clickhouse: "CLICKHOUSE_URL" };
/** Variables that the chart or the image sets in another way. */
const setElsewhere =
  "DATABASE_URL NATS_URL NATS_STREAM_REPLICAS OPS_PORT LOG_LEVEL OTEL_EXPORTER_OTLP_ENDPOINT HOST PORT WEB_DIST DOCS_DIST " +
  "GATEWAY_UNREADY_SECONDS AGENT_INGEST_HOST AGENT_INGEST_PORT PROBE_LOCATION SONDE_DATA_DIR BACKUP_TOKEN CLICKHOUSE_REPLICATED";
/** Variables that users can set with `env` in values.yaml. */
const leftToEnv =
  "SONDE_LOCAL SONDE_SOLE_RUNNER SONDE_ABANDON_SECRETS BACKUP_PORT FOOTER_BLOG_URL FOOTER_VIDEO_URL FOOTER_MAIL_URL GATEWAY_WAIT_SECONDS GATEWAY_MAX_STREAMS " +
  "GATEWAY_MAX_STREAMS_PER_USER GATEWAY_MAX_PUBLIC_STREAMS_PER_ADDRESS AGENT_MIN_INTERVAL_SECONDS " +
  "AGENT_REPORTS_PER_MINUTE PROBE_MAX_IN_FLIGHT PROBE_MAX_PER_HOST AUTH_PASSWORDS PUSH_SERVICES";

export function findUnknownVariables(list: readonly ServiceFacts[]): string[] {
  const known = new Set([
    ...keyVariables,
    ...Object.values(chartRetains),
    ...Object.values(chartReads).flat(),
    ...Object.values(chartTalksTo),
    ...`${setElsewhere} ${leftToEnv}`.split(" "),
  ]);
  return list.flatMap(({ name, variables }) =>
    variables
      .filter((variable) => !known.has(variable))
      .map(
        (variable) =>
          `${name} reads ${variable}: set it in the chart's templates/_env.tpl, and add it to deploy/verify/service-files.ts`,
      ),
  );
}

export function chartServices(list: readonly ServiceFacts[]): string {
  const namesRead = (table: Readonly<Record<string, string | readonly string[]>>, { variables }: ServiceFacts) =>
    Object.keys(table).filter((word) => variables.includes([table[word]].flat()[0] ?? ""));
  const entries = list.map((service) => {
    const callers = list.filter((other) => namesRead(chartTalksTo, other).includes(service.name));
    const lists = {
      keys: service.keys,
      talksTo: namesRead(chartTalksTo, service),
      reachedFrom: [...(service.isPublic ? ["ingress"] : []), ...callers.map(({ name }) => name)],
      retains: namesRead(chartRetains, service),
      reads: namesRead(chartReads, service),
    };
    return [
      `${service.name}:`,
      ...(service.port === undefined ? [] : [`  port: ${service.port}`]),
      ...(service.hasDatabase ? ["  database: true"] : []),
      ...(service.callsOut ? ["  outside: true"] : []),
      ...Object.entries(lists).flatMap(([field, words]) =>
        words.length > 0 ? [`  ${field}: [${words.join(", ")}]`] : [],
      ),
      "",
    ].join("\n");
  });
  return `${chartServicesHead}${entries.join("")}`;
}

const chartServicesHead = `${generatedNote}, and from the variables that each service reads.
#   port        its port, in addition to the ops port that all services have
#   database    it has its own schema and role in PostgreSQL
#   outside     it connects to addresses that users configure
#   keys        its encryption keys, one per context, derived from the sealing key
#   talksTo     services and servers it connects to, in addition to NATS and PostgreSQL
#   reachedFrom services that connect to it; \`ingress\` means users and agents
#   retains     retention settings it reads
#   reads       other settings of values.yaml that become its environment
`;

/** Returns the image of a service with the embedded ClickHouse. */
const imageOf = (name: string): string => (name === "metrics" ? "metrics-embedded" : name);
const screaming = (name: string): string => name.toUpperCase().replaceAll("-", "_");
const secret = (name: string): string => `\${${name}:?run ./make-env first}`;

/** Keys that the `.env` of earlier versions lacks. Services start without them. */
const laterKeys: readonly KeyName[] = ["signin", "callout"];

const composeSettings: Readonly<Record<string, string>> = {
  PROBE_LOCATION: "${PROBE_LOCATION:-default}",
  SONDE_ABANDON_SECRETS: "${SONDE_ABANDON_SECRETS:-0}",
  AUTH_REGISTRATION: "${AUTH_REGISTRATION:-approval}",
  AUTH_SETUP_CODE: secret("AUTH_SETUP_CODE"),
  AUTH_FACTOR: "${AUTH_FACTOR:-off}",
  AUTH_PASSWORDS: "${AUTH_PASSWORDS:-on}",
  OIDC_ISSUER: "${OIDC_ISSUER:-}",
  OIDC_CLIENT_ID: "${OIDC_CLIENT_ID:-}",
  OIDC_CLIENT_SECRET: "${OIDC_CLIENT_SECRET:-}",
  OIDC_TOKEN_AUTH: "${OIDC_TOKEN_AUTH:-}",
  OIDC_NAME: "${OIDC_NAME:-}",
  OIDC_SCOPES: "${OIDC_SCOPES:-}",
  OIDC_ROLE_CLAIM: "${OIDC_ROLE_CLAIM:-}",
  OIDC_ROLES: "${OIDC_ROLES:-}",
  OIDC_OTHERWISE: "${OIDC_OTHERWISE:-}",
  PUBLIC_URL: "${PUBLIC_URL:-}",
  SELF_WATCH_URL: "${SELF_WATCH_URL:-}",
  MONITOR_MIN_INTERVAL_SECONDS: "${MONITOR_MIN_INTERVAL_SECONDS:-60}",
  PROBE_DENY_CIDRS: "${PROBE_DENY_CIDRS:-}",
  CA_FILE: "${CA_FILE:+/etc/sonde/ca.pem}",
  SONDE_CONFIG_DIR: "${SONDE_CONFIG_DIR:+/etc/sonde/config}",
  SONDE_CONFIG_ALLOW_DELETE: "${SONDE_CONFIG_ALLOW_DELETE:-0}",
  RETENTION_RAW_DAYS: "${RETENTION_RAW_DAYS:-30}",
  RETENTION_ROLLUP_DAYS: "${RETENTION_ROLLUP_DAYS:-400}",
  RETENTION_INCIDENT_DAYS: "${RETENTION_INCIDENT_DAYS:-400}",
  RETENTION_AUDIT_DAYS: "${RETENTION_AUDIT_DAYS:-400}",
};

const composeOwn: Readonly<Record<string, { container?: string; environment?: string }>> = {
  gateway: {
    container: `
    ports: ["\${SONDE_ADDRESS:-127.0.0.1}:\${SONDE_PORT:-8080}:8080"]
    # SONDE_CONFIG_DIR: a folder of configuration files (docs/as-code.md), as an absolute path or one that begins with ./
    volumes: ["agents:/agents:ro", "\${SONDE_CONFIG_DIR:-/dev/null}:/etc/sonde/config:ro"]
    depends_on:
      setup: { condition: service_completed_successfully }
      agents: { condition: service_completed_successfully }`,
    environment: `
      AGENT_INGEST_URL: http://agent-ingest:8081
      TRUSTED_PROXIES: \${TRUSTED_PROXIES:-}`,
  },
  monitors: {
    container: `
    # Measured: 667 MiB with 100,000 monitors while it refills NATS (docs/capacity.md).
    mem_limit: 1g`,
  },
  "agent-ingest": {
    container: `
    # Measured: 434 MiB with 10,000 agents.
    mem_limit: 768m`,
    environment: `
      AGENT_INGEST_HOST: "::"
      AGENT_INGEST_PORT: "8081"`,
  },
  metrics: {
    container: `
    # Includes the embedded ClickHouse.
    mem_limit: 2g
    volumes: ["metrics:/data"]`,
    environment: `
      BACKUP_TOKEN: \${BACKUP_TOKEN:-}`,
  },
};

export function composeParts(list: readonly ServiceFacts[]): Record<string, string> {
  const withRows = list.filter(({ hasDatabase }) => hasDatabase);
  const passwords = withRows.map(({ name }) => `DATABASE_PASSWORD_${screaming(name)}`);
  const users = ["admin", ...list.map(({ name }) => name)].map((name) => `NATS_PASSWORD_${screaming(name)}`);
  return {
    "the services": list.map(composeService).join("\n"),
    "passwords of roles": passwords.map((name) => `      ${name}: ${secret(name)}`).join("\n"),
    "passwords of users of the bus": users.map((name) => `      ${name}: '"${secret(name)}"'`).join("\n"),
  };
}

function composeService({ name, hasDatabase, callsOut, keys, variables }: ServiceFacts): string {
  const user = name === "probe-runner" ? "probe-runner-${PROBE_LOCATION:-default}" : name;
  // The gateway must be reachable from outside.
  const isOutside = callsOut || name === "gateway";
  const networks = ["bus", ...(hasDatabase ? ["database"] : []), ...(isOutside ? ["outside"] : [])];
  const readsCa = variables.includes("CA_FILE");
  const environment = {
    NATS_URL: `nats://${user}:${secret(`NATS_PASSWORD_${screaming(name)}`)}@nats:4222`,
    ...(hasDatabase && {
      DATABASE_URL: `postgres://sonde_${schemaOf(name as ServiceName)}:${secret(`DATABASE_PASSWORD_${screaming(name)}`)}@postgres:5432/sonde`,
    }),
    ...Object.fromEntries(
      keys.map((key) => [
        variableOfKey(key),
        laterKeys.includes(key) ? `\${${variableOfKey(key)}:-}` : secret(variableOfKey(key)),
      ]),
    ),
    ...Object.fromEntries(Object.entries(composeSettings).filter(([variable]) => variables.includes(variable))),
  };
  return `  ${name}:
    <<: *${hasDatabase ? "database-service" : "service"}
    image: \${SONDE_IMAGES:-sonde}/${imageOf(name)}:\${SONDE_VERSION:-${about.version}}${isOutside ? `\n    networks: [${networks.join(", ")}]` : ""}${
      readsCa ? '\n    volumes: ["${CA_FILE:-/dev/null}:/etc/sonde/ca.pem:ro"]' : ""
    }${composeOwn[name]?.container ?? ""}
    environment:
      <<: *environment
${Object.entries(environment)
  .map(([variable, value]) => `      ${variable}: ${value}`)
  .join("\n")}${composeOwn[name]?.environment ?? ""}
`;
}

/** Returns the images of skaffold.yaml. Each is rebuilt when its sources or their imports change. */
export function skaffoldImages(list: readonly ServiceFacts[]): string {
  const services = list.map(
    ({ name }) =>
      [
        imageOf(name),
        [`services/${name}`, ...(name === "gateway" ? ["web", "cli", "docs", "packages/import"] : [])],
      ] as const,
  );
  const common = ["services/kit", "services/domain", "proto", "deploy/docker"];
  return [...services, ["setup", ["deploy/setup", "deploy/local"]] as const]
    .map(([image, folders], at) => {
      const paths = [...[...folders, ...common].map((folder) => `${folder}/**`), "package-lock.json"];
      const ignored = '&ignore ["**/*.test.ts", "**/*.test.tsx", "**/node_modules/**", "**/dist/**"]';
      return `    - image: sonde/${image}
      custom:
        buildCommand: sh deploy/skaffold/build-image ${image}
        dependencies:
          paths:
${paths.map((path) => `            - ${path}`).join("\n")}
          ignore: ${at === 0 ? ignored : "*ignore"}`;
    })
    .join("\n");
}

export function bakeImages(
  list: readonly ServiceFacts[],
  programs: ReadonlyMap<string, { isForTests?: true }>,
): string {
  const others = [...programs].flatMap(([name, { isForTests }]) => (isForTests ? [] : [name]));
  return [...new Set([...list.map(({ name }) => name), ...others])].map((name) => `    "${name}",`).join("\n");
}

export const absentAlert = (list: readonly ServiceFacts[]): string =>
  `        expr: |\n${list.map(({ name }, at) => `          ${at === 0 ? "" : "or "}absent(sonde_ready{service="${name}"})`).join("\n")}`;
