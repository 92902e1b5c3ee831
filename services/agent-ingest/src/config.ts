import { common, env, readConfig as read } from "@sonde/kit/service/config";
import * as z from "zod";

/** The environment of the agent-ingest service. */
export const schema = z.object({
  ...common,
  DATABASE_URL: env.databaseUrl(),
  /** Where reports are received, from the gateway or directly from an ingress; it should not be reachable otherwise. */
  AGENT_INGEST_HOST: z.string().default("127.0.0.1"),
  AGENT_INGEST_PORT: env.port(8081),
  /** Proxies before the one that connects, whose X-Forwarded-For is trusted. */
  TRUSTED_PROXIES: env.cidrs(),
  /** Agents that report more often are sent this interval. */
  AGENT_MIN_INTERVAL_SECONDS: env.number(1, { min: 1, max: 3600 }),
  /** Reports that one agent may send a minute. */
  AGENT_REPORTS_PER_MINUTE: env.int(120, { min: 1, max: 100_000 }),
  /** Samples older than this less a day are refused, since they would be deleted at once. */
  RETENTION_RAW_DAYS: env.int(30, { min: 2, max: 3650 }),
  /** How long closed incidents are kept. */
  RETENTION_INCIDENT_DAYS: env.int(400, { min: 1, max: 3650 }),
});
export type Config = z.output<typeof schema>;

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config => read(schema, environment);
