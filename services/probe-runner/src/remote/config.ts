import { isLoopback } from "@sonde/kit/addresses";
import { env, readConfig } from "@sonde/kit/service/config";
import { hostname } from "node:os";
import * as z from "zod";

/** Variables of a runner that connects through the gateway; the others are those of any runner. */
const schema = z
  .object({
    SONDE_URL: env.httpUrl(),
    /** Plain HTTP to another machine must be allowed explicitly, because the key can then be read on the way. */
    SONDE_ALLOW_HTTP: env.flag(false),
    /** Needed for the first start. */
    SONDE_TOKEN: z.string().optional(),
    /** Where the runner keeps its key. */
    SONDE_RUNNER_DIR: z.string().optional(),
    SONDE_RUNNER_NAME: z.string().trim().min(1).max(100).optional(),
    SONDE_DATA_DIR: z.string().optional(),
  })
  .refine(({ SONDE_URL, SONDE_ALLOW_HTTP }) => SONDE_ALLOW_HTTP || isPrivate(SONDE_URL), {
    path: ["SONDE_URL"],
    message: "must be an https address (or set SONDE_ALLOW_HTTP=1: everything can then be read on the way)",
  })
  .transform((values) => ({
    url: baseUrl(values.SONDE_URL),
    token: values.SONDE_TOKEN,
    // Images have a folder of their own for data.
    folder: values.SONDE_RUNNER_DIR ?? values.SONDE_DATA_DIR ?? ".",
    name: values.SONDE_RUNNER_NAME ?? hostname().slice(0, 100),
  }));

/** Sonde may be below a path. Without a trailing slash. */
function baseUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname.replace(/\/+$/, "");
}

/** Also true for an invalid address, which has been reported. */
function isPrivate(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { protocol, hostname: host } = new URL(text);
  return protocol === "https:" || isLoopback(host);
}

export type RemoteConfig = z.output<typeof schema>;

/** @throws ConfigError that lists every invalid variable */
export const readRemoteConfig = (environment: NodeJS.ProcessEnv): RemoteConfig => readConfig(schema, environment);
