import { keyVariablesOf, type ServiceKeys } from "@sonde/kit/secret-keys";
import type { variablesOf } from "@sonde/kit/service/config";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type DatabaseService, type ServiceName, serviceNames, services } from "@sonde/proto/services";

/**
 * The processes of `npm start`. Probing is alone, so that neither hashing a password nor a large answer makes a check
 * late; metrics is alone, since chDB lives inside its process; `core` is the rest.
 */
export type ProcessName = (typeof services)[ServiceName]["process"];
export const processNames = [...new Set(serviceNames.map((name) => services[name].process))];

/** The services within a process: it receives their URLs of the bus and the database, and no others. */
export const servicesOf = (name: ProcessName): ServiceName[] =>
  serviceNames.filter((service) => services[service].process === name);

export const needsDatabase = (name: ProcessName): boolean =>
  servicesOf(name).some((service) => services[service].hasDatabase);

export const stopTogether = (running: readonly Service[]): Service => ({
  stop: async () => void (await Promise.all(running.map((service) => service.stop()))),
});

/** What the package of each service exports as `./config`. */
type ConfigModule = {
  schema: Parameters<typeof variablesOf>[0];
  /** @throws ConfigError that names every fault */
  readConfig(environment: NodeJS.ProcessEnv): unknown;
};
type MainModule = { start(config: unknown): Promise<Service> };

export const loadConfigModule = (service: ServiceName): Promise<ConfigModule> => import(`@sonde/${service}/config`);

/** Loads a service's code. The returned function starts it with this process's variables for it. */
export async function loadService(service: ServiceName): Promise<() => Promise<Service>> {
  const { readConfig } = await loadConfigModule(service);
  const { start } = (await import(`@sonde/${service}`)) as MainModule;
  return () => start(readConfig(serviceEnvironment(service)));
}

/** URLs with the user of each service. */
export type NatsUrls = Readonly<Record<ServiceName, string>>;
export type DatabaseUrls = Readonly<Record<DatabaseService, string>>;

type Kind = "NATS_URL" | "DATABASE_URL";

/** The variable with the URL of one service, such as `NATS_URL_AGENT_INGEST`. */
export const variableOf = (kind: Kind, service: ServiceName): string =>
  `${kind}_${service.toUpperCase().replaceAll("-", "_")}`;

/** Configured URLs: the service's own, else the one for all services. */
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

const ofServices = /^(?:(?:NATS|DATABASE|BACKUP_DATABASE)_URL|SONDE_KEY|SONDE_SECRET_KEY|SONDE_BACKUP|AWS)(?:_|$)/;

/** The environment without URLs of servers, keys, and variables that only backups need. */
export const commonEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !ofServices.test(name)));

/** The environment of a process, with the URLs and keys of its own services only. */
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

/** The environment for one service of a process. */
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
