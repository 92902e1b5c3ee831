import { keyVariablesOf, type ServiceKeys } from "@sonde/kit/secret-keys";
import type { variablesOf } from "@sonde/kit/service/config";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type DatabaseService, type ServiceName, serviceNames, services } from "@sonde/proto/services";

/**
 * The processes of `npm start`: the probe runner, so that neither password hashing nor a large response delays checks;
 * metrics, whose process contains chDB; and `core` with all other services.
 */
export type ProcessName = (typeof services)[ServiceName]["process"];
export const processNames = [...new Set(serviceNames.map((name) => services[name].process))];

/** Returns the services of a process, which receives only their bus and database URLs. */
export const servicesOf = (name: ProcessName): ServiceName[] =>
  serviceNames.filter((service) => services[service].process === name);

export const needsDatabase = (name: ProcessName): boolean =>
  servicesOf(name).some((service) => services[service].hasDatabase);

export const stopTogether = (running: readonly Service[]): Service => ({
  stop: async () => void (await Promise.all(running.map((service) => service.stop()))),
});

type ConfigModule = {
  schema: Parameters<typeof variablesOf>[0];
  /** @throws ConfigError with all errors */
  readConfig(environment: NodeJS.ProcessEnv): unknown;
};
type MainModule = { start(config: unknown): Promise<Service> };

export const loadConfigModule = (service: ServiceName): Promise<ConfigModule> => import(`@sonde/${service}/config`);

export async function loadService(service: ServiceName): Promise<() => Promise<Service>> {
  const { readConfig } = await loadConfigModule(service);
  const { start } = (await import(`@sonde/${service}`)) as MainModule;
  return () => start(readConfig(serviceEnvironment(service)));
}

export type NatsUrls = Readonly<Record<ServiceName, string>>;
export type DatabaseUrls = Readonly<Record<DatabaseService, string>>;

type Kind = "NATS_URL" | "DATABASE_URL";

/** Returns the variable with a service's URL, such as `NATS_URL_AGENT_INGEST`. */
export const variableOf = (kind: Kind, service: ServiceName): string =>
  `${kind}_${service.toUpperCase().replaceAll("-", "_")}`;

/** Returns each service's own URL, or the one for all services. */
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

export type OfServices = { nats: NatsUrls; database: DatabaseUrls | undefined; keys: ServiceKeys };

const privateVariables =
  /^(?:(?:NATS|DATABASE|BACKUP_DATABASE)_URL|SONDE_KEY|SONDE_SECRET_KEY|SONDE_BACKUP|AWS)(?:_|$)/;

/** Returns the environment without server URLs, keys, and variables that only backups need. */
export const commonEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !privateVariables.test(name)));

/** Returns the environment of a process, with only the URLs and keys of its services. */
export function processEnvironment(
  environment: NodeJS.ProcessEnv,
  services: readonly ServiceName[],
  { nats, database, keys }: OfServices,
): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = {};
  for (const service of serviceNames.filter((name) => services.includes(name))) {
    own[variableOf("NATS_URL", service)] = nats[service];
    const url = database?.[service as DatabaseService];
    if (url !== undefined) own[variableOf("DATABASE_URL", service)] = url;
    for (const variable of keyVariablesOf(service)) own[variable] = keys[variable];
  }
  return { ...commonEnvironment(environment), ...own };
}

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
