import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

/** The environment of the monitors service. */
export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** Seals secrets of checks; the probe runners open them with the same key. */
  SONDE_KEY_CHECK: env.keys(),
  /** Opens what version 0.1.0 sealed, which is then sealed again. */
  SONDE_KEY_V1: env.keys(),
  /** Start although no stored secret opens with this key; see kit's `refuseUnknownKey`. */
  SONDE_ABANDON_SECRETS: env.flag(false),
  /** How long closed incidents are kept. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
  /** The shortest interval that a monitor may have. */
  MONITOR_MIN_INTERVAL_SECONDS: env.number(60, { min: 1, max: 604_800 }),
  /** Refused as a literal address of a monitor when it is saved; the runners refuse it again when they dial. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** Where the gateway listens: it decides what is denied by default. */
  HOST: z.string().optional(),
});
export type Config = z.output<typeof schema>;

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
