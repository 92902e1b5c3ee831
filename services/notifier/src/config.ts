import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  SONDE_KEY_CHANNEL: env.keys(),
  SONDE_KEY_LINK: env.keys(),
  /** Opens secrets that version 0.1.0 sealed. */
  SONDE_KEY_V1: env.keys(),
  /** Start even if this key opens no stored secret; see `refuseUnknownKey` in the kit. */
  SONDE_ABANDON_SECRETS: env.flag(false),
  /** Refused ranges, in addition to link-local and metadata addresses. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** Trusted certificate authorities, in addition to the system's. */
  CA_FILE: env.caFile(),
  /** The gateway's listen address, which decides the default of denied ranges. */
  HOST: z.string().optional(),
  /** Base of links in messages; without it messages have no links. */
  PUBLIC_URL: env.publicUrl(),
  /** Hosts of push services that devices may use, in addition to those of the known browsers. */
  PUSH_SERVICES: env.list(),
  /** Called each minute while all of Sonde is healthy. Secret and never logged: with it calls could be faked. */
  SELF_WATCH_URL: env.httpUrl().optional(),
  /** Applies to closed incidents and their deliveries. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError listing every error */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
