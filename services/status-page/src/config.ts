import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** Keys of subscribers' tokens. */
  SONDE_KEY_CONFIRMATION: env.keys(),
  SONDE_KEY_UNSUBSCRIPTION: env.keys(),
  /** Base of links in mails; without it subscriptions are disabled. */
  PUBLIC_URL: env.publicUrl(),
  /** How long resolved announcements and ended windows are stored. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError listing every error */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
