import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

/** The environment of a probe runner. It needs NATS and nothing else. */
export const schema = z.object({
  ...common,
  /** This runner's location; monitors name the locations that check them. */
  PROBE_LOCATION: env.location(),
  /** Ranges that are refused beside link-local and metadata addresses, which always are. */
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  /** Authorities of one's own, trusted beside the system's. */
  CA_FILE: env.caFile(),
  /** Where the gateway listens: it decides what is denied by default. */
  HOST: z.string().optional(),
  /** Checks at once; a quarter of them is kept from targets that last ran into their timeout. */
  PROBE_MAX_IN_FLIGHT: env.int(2000, { min: 4, max: 100_000 }),
  /** Checks at once of one host and port. */
  PROBE_MAX_PER_HOST: env.int(10, { min: 1, max: 10_000 }),
  /** Set by `npm start` if no other runner can reach its bus, so that the start does not wait for others. */
  SONDE_SOLE_RUNNER: env.flag(false),
  /** Opens the secrets that were sealed when a monitor was saved. */
  SONDE_KEY_CHECK: env.keys(),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every fault. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
