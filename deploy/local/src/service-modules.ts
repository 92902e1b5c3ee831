import type { namesIn } from "@sonde/kit/service/config";
import type { Service } from "@sonde/kit/service/lifecycle";
import type { ServiceName } from "@sonde/proto/services";
import { serviceEnvironment } from "./service-urls.ts";

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
