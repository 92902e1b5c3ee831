import { deriveKeys } from "@sonde/kit/secret-keys";
import { ConfigError, env, variablesOf, readConfig as read } from "@sonde/kit/service/config";
import { similarName } from "@sonde/kit/service/similar-name";
import { databaseServices, serviceNames } from "@sonde/proto/services";
import * as z from "zod";
import { isSchedule } from "./backup/scheduled.ts";
import { configuredUrls, loadConfigModule, variableOf } from "./supervisor/processes.ts";

const natsUrl = env.natsUrl().unwrap().optional();
const databaseUrl = env.databaseUrl().optional();
/** `NATS_URL_AUTH`, `DATABASE_URL_MONITORS` …: URLs with one service's user. */
const ownUrls = {
  ...Object.fromEntries(serviceNames.map((service) => [variableOf("NATS_URL", service), natsUrl])),
  ...Object.fromEntries(databaseServices.map((service) => [variableOf("DATABASE_URL", service), databaseUrl])),
};

/** Variables of `npm start` itself. Each service reads its own. */
const variables = z.object({
  ...ownUrls,
  PORT: env.port(8080, { min: 1 }),
  HOST: z.string().default("127.0.0.1"),
  PUBLIC_URL: env.httpUrl().optional(),
  OPS_PORT: env.port(0),
  SONDE_DATA_DIR: z.string().optional(),
  /** Where `npm run dev` serves the web app. */
  SONDE_WEB_PORT: env.port(5173, { min: 1 }),
  DATABASE_URL: databaseUrl,
  NATS_URL: natsUrl,
  PROBE_LOCATION: env.location(),
  CLICKHOUSE_URL: env.httpUrl().optional(),
  SONDE_SECRET_KEY: env.secretKey().optional(),
  /** For backups. Its role must be able to read every schema. */
  BACKUP_DATABASE_URL: databaseUrl,
  /** Scheduled backups: a cron expression in UTC; the destination is as for `npm run backup`. */
  SONDE_BACKUP_SCHEDULE: z.string().refine(isSchedule, "must be a cron expression, such as 15 2 * * *").optional(),
  SONDE_BACKUP_TO: z.string().optional(),
  SONDE_BACKUP_KEEP: env.int(14, { max: 9_999 }),
  SONDE_BACKUP_WITH_KEY: env.flag(false),
});

const schema = variables.transform((values, context) => {
  if (values.SONDE_BACKUP_SCHEDULE !== undefined && values.SONDE_BACKUP_TO === undefined) {
    const message = "is needed with SONDE_BACKUP_SCHEDULE: a folder, or s3://bucket/prefix/";
    context.addIssue({ code: "custom", path: ["SONDE_BACKUP_TO"], message });
  }
  const texts = values as Record<string, unknown> as NodeJS.ProcessEnv;
  return {
    ...values,
    /** External servers by service. Other services use the embedded server. */
    natsUrls: configuredUrls("NATS_URL", serviceNames, texts),
    databaseUrls: configuredUrls("DATABASE_URL", databaseServices, texts),
  };
});

export type Config = z.output<typeof schema>;

const services = await Promise.all(serviceNames.map(loadConfigModule));
const names = [...new Set([variables, ...services.map((service) => service.schema)].flatMap(variablesOf))];

/** `npm start` sets these variables for its services later. */
const placeholders = {
  DATABASE_URL: "postgres://127.0.0.1/sonde",
  NATS_URL: "nats://127.0.0.1:4222",
};
const keys = deriveKeys(Buffer.alloc(32).toString("base64"));

/** Also checks the variables of all services. @throws ConfigError with the errors of all services */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ""));
  const readers = [
    () => read(schema, set),
    ...services.map((service) => () => service.readConfig({ ...placeholders, ...set, ...keys })),
  ];
  // A variable that several services read is reported once.
  const byName = new Map<string, string>();
  for (const error of readers.flatMap(configErrors)) {
    const name = error.slice(0, error.indexOf(":"));
    if (!byName.has(name)) byName.set(name, error);
  }
  if (byName.size > 0) throw new ConfigError([...byName.values()]);
  return read(schema, set);
}

function configErrors(readOwn: () => unknown): readonly string[] {
  try {
    readOwn();
    return [];
  } catch (fault) {
    if (fault instanceof ConfigError) return fault.faults;
    throw fault;
  }
}

/** Prefixes that only Sonde uses. Others also set AGENT_ and AUTH_; SONDE_AGENT_ belongs to the agent. */
const prefix = /^(?:PROBE|MONITOR|RETENTION|SONDE(?!_AGENT))_/;

/** Returns a line per unknown variable that is probably meant for Sonde. */
export function warnings(environment: NodeJS.ProcessEnv = process.env): string[] {
  return Object.keys(environment)
    .filter((name) => !names.includes(name) && !bucketCredentials.test(name))
    .flatMap((name) => {
      const meant = similarName(name, names);
      if (meant === undefined && !prefix.test(name)) return [];
      return [`Unknown variable ${name}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`];
    });
}

const bucketCredentials = /^AWS_/;
