import { env, readConfig as read } from "@sonde/kit/service/config";
import { readFileSync } from "node:fs";
import * as z from "zod";

const name = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/;

/** The cluster is that of KUBECONFIG, or of the pod. */
export const schema = z
  .object({
    OPS_PORT: env.port(0),
    LOG_LEVEL: env.logLevel(),
    SONDE_URL: env.httpUrl(),
    /** An API key with the scopes `config` and `read`. */
    SONDE_KEY: z.string().min(1).optional(),
    /** A file with the key, read at each request. */
    SONDE_KEY_FILE: z.string().optional(),
    /**
     * The cluster's name. The configuration source is `kubernetes/<name>`, and keys of monitors start with the name.
     */
    DISCOVERY_NAME: z.string().regex(name, "must have 1 to 40 small letters, digits and hyphens").default("cluster"),
    DISCOVERY_NAMESPACES: env.list(),
  })
  .refine(({ SONDE_KEY, SONDE_KEY_FILE }) => (SONDE_KEY === undefined) !== (SONDE_KEY_FILE === undefined), {
    path: ["SONDE_KEY"],
    message: "must be given, or a file of it as SONDE_KEY_FILE",
  });
export type Config = z.output<typeof schema>;

/** @throws ConfigError that lists every error */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);

export const apiKeyOf = ({ SONDE_KEY, SONDE_KEY_FILE }: Config): string =>
  SONDE_KEY ?? readFileSync(SONDE_KEY_FILE!, "utf8").trim();
