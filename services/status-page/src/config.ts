import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

/** The environment of status-page. */
export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** The key of subscribers' tokens. */
  SONDE_KEY_CONFIRMATION: env.keys(),
  SONDE_KEY_UNSUBSCRIPTION: env.keys(),
  /** Base of links in mails; without it there is no subscription by mail. */
  PUBLIC_URL: env.publicUrl(),
  /** How long resolved announcements, and windows that have ended, are kept. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

/** @throws ConfigError that names every fault. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
