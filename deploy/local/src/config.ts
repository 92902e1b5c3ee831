import { isIP } from "node:net";
import { env, readConfig as read } from "@sonde/kit/config";
import { serviceNames } from "@sonde/proto/permissions";
import { z } from "zod";
import { configuredUrls, databaseServices, variableOf } from "./service-urls.ts";

const address = (text: string) => {
  const [host = "", ...rest] = text.split("/");
  return isIP(host) !== 0 && rest.length < 2 && (rest[0] === undefined || /^\d{1,3}$/.test(rest[0]));
};
const addresses = env.list().refine((list) => list.every(address), "must be addresses or CIDRs, divided by commas");

const natsUrl = z
  .string()
  .regex(/^(nats|tls|wss?):\/\/\S+$/, "must be an address such as nats://127.0.0.1:4222")
  .optional();
const databaseUrl = env.databaseUrl().optional();
/** `NATS_URL_AUTH`, `DATABASE_URL_MONITORS` …: a URL with the user of one service alone. */
const ownUrls = {
  ...Object.fromEntries(serviceNames.map((service) => [variableOf("NATS_URL", service), natsUrl])),
  ...Object.fromEntries(databaseServices.map((service) => [variableOf("DATABASE_URL", service), databaseUrl])),
};

const variables = z.object({
  ...ownUrls,
  PORT: z.coerce.number("must be a port").int().min(1).max(65_535).default(8080),
  HOST: z.string().default("127.0.0.1"),
  SONDE_DATA_DIR: z.string().optional(),
  DATABASE_URL: databaseUrl,
  NATS_URL: natsUrl,
  CLICKHOUSE_URL: env.httpUrl().optional(),
  PUBLIC_URL: env.httpUrl().optional(),
  SONDE_SECRET_KEY: env.secretKey().optional(),
  AUTH_SETUP_CODE: z.string().optional(),
  AUTH_REGISTRATION: z.enum(["open", "approval", "closed"]).optional(),
  TRUSTED_PROXIES: addresses,
  MONITOR_MIN_INTERVAL_SECONDS: env.number(60, { min: 1, max: 86_400 }),
  PROBE_LOCATION: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,32}$/, "must be 1 to 32 letters, digits, - or _")
    .default("default"),
  PROBE_DENY_CIDRS: env.deniedCidrs(),
  FOOTER_BLOG_URL: z.url("must be an address").optional(),
  FOOTER_VIDEO_URL: z.url("must be an address").optional(),
  FOOTER_MAIL_URL: z.url("must be an address").optional(),
  AGENT_DOWNLOAD_URL: env.httpUrl().optional(),
  RETENTION_RAW_DAYS: env.int(30, { min: 2, max: 3650 }),
  RETENTION_ROLLUP_DAYS: env.int(400, { min: 2, max: 3650 }),
  LOG_LEVEL: env.logLevel(),
  OTEL_EXPORTER_OTLP_ENDPOINT: env.httpUrl().optional(),
});

const schema = variables.transform((values) => {
  const texts = values as Record<string, unknown> as NodeJS.ProcessEnv;
  return {
    ...values,
    /** The servers that are somebody else's, by service; a service without one uses an embedded server. */
    natsUrls: configuredUrls("NATS_URL", serviceNames, texts),
    databaseUrls: configuredUrls("DATABASE_URL", databaseServices, texts),
  };
});

export type Config = z.output<typeof schema>;

/**
 * The environment of `npm start`. Everything is looked at here, before anything is started; the services read their
 * own parts again.
 *
 * @throws ConfigError that names every fault.
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  return read(schema, environment);
}
