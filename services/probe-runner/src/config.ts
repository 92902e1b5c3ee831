import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  PROBE_LOCATION: env.location(),
  /** Refused in addition to link-local and metadata addresses, which are always refused. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** Additional certificate authorities, trusted alongside the system's. */
  CA_FILE: env.caFile(),
  /** The gateway's listen address, which decides what is denied by default. */
  HOST: z.string().optional(),
  /** Maximum concurrent checks; a quarter is reserved for targets that did not time out last time. */
  PROBE_MAX_IN_FLIGHT: env.int(2000, { min: 4, max: 100_000 }),
  PROBE_MAX_PER_HOST: env.int(10, { min: 1, max: 10_000 }),
  /** Set by `npm start` if no other runner can reach its bus, so that startup does not wait for other members. */
  SONDE_SOLE_RUNNER: env.flag(false),
  SONDE_KEY_CHECK: env.keys(),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError that lists every invalid variable */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
