import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** Receives reports from the gateway or an ingress; nothing else should be able to reach it. */
  AGENT_INGEST_HOST: z.string().default("127.0.0.1"),
  AGENT_INGEST_PORT: env.port(8081),
  /** Trusted proxies in X-Forwarded-For. The connecting one is always trusted. */
  TRUSTED_PROXIES: env.cidrs(),
  /** Agents that report more often are told to use this interval. */
  AGENT_MIN_INTERVAL_SECONDS: env.number(1, { min: 1, max: 3600 }),
  /** Per agent. */
  AGENT_REPORTS_PER_MINUTE: env.int(120, { min: 1, max: 100_000 }),
  /** Samples older than this minus a day are rejected, because they would be deleted at once. */
  RETENTION_RAW_DAYS: env.int(30, { min: 2, max: 3650 }),
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
