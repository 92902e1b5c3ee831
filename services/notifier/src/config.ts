import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  SONDE_KEY_CHANNEL: env.keys(),
  SONDE_KEY_LINK: env.keys(),
  /** Opens what version 0.1.0 sealed. */
  SONDE_KEY_V1: env.keys(),
  /** Start although no stored secret opens with this key; see kit's `refuseUnknownKey`. */
  SONDE_ABANDON_SECRETS: env.flag(false),
  /** Ranges that are refused beside link-local and metadata addresses, which always are. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** Authorities of one's own, trusted beside the system's. */
  CA_FILE: env.caFile(),
  /** Where the gateway listens: it decides the default of denied ranges. */
  HOST: z.string().optional(),
  /** What links in messages begin with; without it messages have none. */
  PUBLIC_URL: env.publicUrl(),
  /**
   * Called each minute while all of Sonde works. Its URL is a secret and never logged: with it the calls could be
   * faked.
   */
  SELF_WATCH_URL: env.httpUrl().optional(),
  /** Deliveries are kept as long as closed incidents. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every fault. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
