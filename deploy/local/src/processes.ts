import type { namesIn } from "@sonde/kit/service/config";
import type { Service } from "@sonde/kit/service/lifecycle";
import { type ServiceName, serviceNames, services } from "@sonde/proto/services";
import { serviceEnvironment } from "./service-urls.ts";

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

/** Starts the services of a process. `mayOpen` settles when all other processes are ready. */
export type StartProcess = (mayOpen: () => Promise<void>) => Promise<Service>;

/** Loads the code of a process's services. */
export async function loadProcess(name: ProcessName): Promise<StartProcess> {
  if (name === "core") return (await import("./core.ts")).startCore;
  const starts = await Promise.all(servicesOf(name).map(loadService));
  return async () => stopTogether(await Promise.all(starts.map((start) => start())));
}

/** Several services that stop at the same time. */
export const stopTogether = (running: readonly Service[]): Service => ({
  stop: async () => void (await Promise.all(running.map((service) => service.stop()))),
});

/** What the package of each service exports as `./config`. */
type ConfigModule = {
  schema: Parameters<typeof namesIn>[0];
  /** @throws ConfigError that names every fault */
  readConfig(environment: NodeJS.ProcessEnv): unknown;
};
/** What it exports itself. */
type MainModule = { start(config: unknown): Promise<Service> };

export const loadConfig = (service: ServiceName): Promise<ConfigModule> => import(`@sonde/${service}/config`);

/** Loads a service's code; the answer starts it by the variables that this process was given for it. */
export async function loadService(service: ServiceName): Promise<() => Promise<Service>> {
  const { readConfig } = await loadConfig(service);
  const { start } = (await import(`@sonde/${service}`)) as MainModule;
  return () => start(readConfig(serviceEnvironment(service)));
}
