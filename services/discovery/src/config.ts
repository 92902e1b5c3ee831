import { env, readConfig as read } from "@sonde/kit/service/config";
import { readFileSync } from "node:fs";
import * as z from "zod";

const name = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The environment of discovery. The cluster is that of KUBECONFIG, or the one that its pod runs in. */
export const schema = z
  .object({
    OPS_PORT: env.port(0),
    LOG_LEVEL: env.logLevel(),
    /** Where Sonde is reached. */
    SONDE_URL: env.httpUrl(),
    /** An API key of the scopes `config` and `read`. */
    SONDE_KEY: z.string().min(1).optional(),
    /** Or a file of it, read at each request. */
    SONDE_KEY_FILE: z.string().optional(),
    /** The cluster's name: the source is `kubernetes/<name>`, and keys of monitors begin with it. */
    DISCOVERY_NAME: z.string().regex(name, "must have 1 to 40 small letters, digits and hyphens").default("cluster"),
    /** Which namespaces are watched; all of them by default. */
    DISCOVERY_NAMESPACES: env.list(),
  })
  .refine(({ SONDE_KEY, SONDE_KEY_FILE }) => (SONDE_KEY === undefined) !== (SONDE_KEY_FILE === undefined), {
    path: ["SONDE_KEY"],
    message: "must be given, or a file of it as SONDE_KEY_FILE",
  });
export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every fault. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);

export const apiKeyOf = ({ SONDE_KEY, SONDE_KEY_FILE }: Config): string =>
  SONDE_KEY ?? readFileSync(SONDE_KEY_FILE!, "utf8").trim();
