import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** Seals secrets of checks; the probe runners open them with the same key. */
  SONDE_KEY_CHECK: env.keys(),
  /** Signs which remote runners may connect to the bus. Without it there are none. */
  SONDE_KEY_CALLOUT: env.keys().optional(),
  /** Opens secrets sealed by version 0.1.0, which are then sealed again. */
  SONDE_KEY_V1: env.keys(),
  /** Start even if the key opens no stored secret; see `refuseUnknownKey` in the kit. */
  SONDE_ABANDON_SECRETS: env.flag(false),
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
  MONITOR_MIN_INTERVAL_SECONDS: env.number(60, { min: 1, max: 604_800 }),
  /** Literal addresses in these ranges are rejected on save; runners check again when they connect. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** The gateway's listen address decides which addresses are denied by default. */
  HOST: z.string().optional(),
});
export type Config = z.output<typeof schema>;

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
