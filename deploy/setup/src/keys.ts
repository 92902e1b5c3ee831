import { StartupError } from "@sonde/kit/service/startup-error";
import { deriveKeys, keyVariables, keyVariablesOf } from "@sonde/kit/secret-keys";
import { env, readConfig } from "@sonde/kit/service/config";
import { type ServiceName, serviceNames } from "@sonde/proto/services";
import * as z from "zod";

/** Prints the keys derived from `SONDE_SECRET_KEY` as lines `SONDE_KEY_CHECK=…`: all, or one service's. */
export const printKeys =
  ([service]: readonly string[], print: (text: string) => unknown = (text) => process.stdout.write(text)) =>
  async (environment: NodeJS.ProcessEnv): Promise<void> => {
    const { SONDE_SECRET_KEY } = readConfig(z.object({ SONDE_SECRET_KEY: env.secretKey() }), environment);
    if (service !== undefined && !serviceNames.includes(service as ServiceName)) {
      throw new StartupError(`Unknown service ${service}. Choose from ${serviceNames.join(", ")}.`);
    }
    const keys = deriveKeys(SONDE_SECRET_KEY);
    const variables = service === undefined ? keyVariables : keyVariablesOf(service as ServiceName);
    print(variables.map((variable) => `${variable}=${keys[variable]}\n`).join(""));
  };
