import { calloutIssuer } from "@sonde/kit/bus/callout";
import { env, readConfig } from "@sonde/kit/service/config";
import { writeFile } from "node:fs/promises";
import * as z from "zod";

/**
 * Prints the public key for nats-server's `auth_callout`, which belongs to `SONDE_KEY_CALLOUT`, or writes it to a file;
 * empty without that key.
 */
export const printIssuer =
  (file: string | undefined, print: (text: string) => unknown = (text) => process.stdout.write(text)) =>
  async (environment: NodeJS.ProcessEnv): Promise<void> => {
    const { SONDE_KEY_CALLOUT: key } = readConfig(z.object({ SONDE_KEY_CALLOUT: env.keys().optional() }), environment);
    const text = key === undefined ? "" : `${calloutIssuer(key).publicKey}\n`;
    if (file === undefined) print(text);
    else await writeFile(file, text);
  };
