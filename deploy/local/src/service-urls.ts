import { type DatabaseService, type ServiceName, serviceNames } from "@sonde/proto/services";

/** The address of a server for each service, with the service's own user in it. */
export type NatsUrls = Readonly<Record<ServiceName, string>>;
export type DatabaseUrls = Readonly<Record<DatabaseService, string>>;

type Kind = "NATS_URL" | "DATABASE_URL";

/** `NATS_URL_AGENT_INGEST`: a URL of one service alone. */
export const variableOf = (kind: Kind, service: ServiceName): string =>
  `${kind}_${service.toUpperCase().replaceAll("-", "_")}`;

/** What the environment says of each service: its own URL, else the one for all; undefined where there is neither. */
export function configuredUrls<Service extends ServiceName>(
  kind: Kind,
  services: readonly Service[],
  environment: NodeJS.ProcessEnv,
): Partial<Record<Service, string>> {
  const urls: Partial<Record<Service, string>> = {};
  for (const service of services) {
    const url = environment[variableOf(kind, service)] || environment[kind];
    if (url) urls[service] = url;
  }
  return urls;
}

/** The environment of a process: of all URLs only those of the services within it. */
export function processEnvironment(
  environment: NodeJS.ProcessEnv,
  services: readonly ServiceName[],
  nats: NatsUrls,
  database: DatabaseUrls | undefined,
): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !/^(?:NATS|DATABASE)_URL(?:_|$)/.test(name));
  const own: NodeJS.ProcessEnv = {};
  for (const service of serviceNames.filter((name) => services.includes(name))) {
    own[variableOf("NATS_URL", service)] = nats[service];
    const url = database?.[service as DatabaseService];
    if (url !== undefined) own[variableOf("DATABASE_URL", service)] = url;
  }
  return { ...Object.fromEntries(others), ...own };
}

/** The environment as one service reads it, out of that of its process. */
export function serviceEnvironment(
  service: ServiceName,
  environment: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return {
    ...environment,
    NATS_URL: environment[variableOf("NATS_URL", service)],
    DATABASE_URL: environment[variableOf("DATABASE_URL", service)],
  };
}
