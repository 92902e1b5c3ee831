import { connectBus, isClustered } from "@sonde/kit/bus/connect";
import { natsAdmin } from "@sonde/kit/bus/nats-users";
import { StartupError } from "@sonde/kit/service/startup-error";
import { retryUntilReady } from "@sonde/kit/postgres/database";
import { openReader, openRoles, databaseRole } from "@sonde/kit/postgres/roles";
import { env, readConfig } from "@sonde/kit/service/config";
import { createLog, type Log } from "@sonde/kit/service/log";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import * as z from "zod";

/** Such as `DATABASE_PASSWORD_AGENT_INGEST`. */
const passwordVariable = (service: string) => `DATABASE_PASSWORD_${service.toUpperCase().replaceAll("-", "_")}`;

const schema = z.object({
  ADMIN_DATABASE_URL: env.databaseUrl().optional(),
  NATS_ADMIN_URL: env.natsUrl().unwrap().optional(),
  NATS_STREAM_REPLICAS: env.int(1, { min: 1, max: 5 }),
  LOG_LEVEL: env.logLevel(),
  /** If set, a role `sonde_backup` is created that can read all schemas. */
  DATABASE_PASSWORD_BACKUP: z.string().optional(),
  ...Object.fromEntries(databaseServices.map((service) => [passwordVariable(service), z.string().optional()])),
});

/**
 * Creates the services' roles and schemas in PostgreSQL and all streams and buckets in NATS, if an administrator's address
 * is set. Existing ones get these passwords and this version's limits; nothing is deleted.
 */
export async function prepareServers(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(schema, environment);
  const log = createLog("setup", config.LOG_LEVEL);
  const { ADMIN_DATABASE_URL: database, NATS_ADMIN_URL: nats } = config;
  if (database === undefined && nats === undefined) log.info("no administrator address is set: nothing to do");
  // In parallel, so that services that need only the bus do not wait for the database.
  await Promise.all([
    database === undefined
      ? undefined
      : openAllRoles(database, passwordsOf(environment), config.DATABASE_PASSWORD_BACKUP, log),
    nats === undefined ? undefined : makeStreams(nats, config.NATS_STREAM_REPLICAS, log),
  ]);
}

/** Returns passwords by schema. @throws StartupError that lists missing ones */
function passwordsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  const missing = databaseServices.map(passwordVariable).filter((name) => !environment[name]);
  if (missing.length > 0) throw new StartupError(`ADMIN_DATABASE_URL also requires ${missing.join(", ")}`);
  return Object.fromEntries(
    databaseServices.map((service) => [schemaOf(service), environment[passwordVariable(service)] ?? ""]),
  );
}

async function openAllRoles(
  adminUrl: string,
  passwords: Record<string, string>,
  backupPassword: string | undefined,
  log: Log,
): Promise<void> {
  const schemas = Object.keys(passwords);
  await retryUntilReady(log, () => openRoles(adminUrl, schemas, passwords));
  if (backupPassword !== undefined) {
    await retryUntilReady(log, () => openReader(adminUrl, databaseRole("backup"), backupPassword, schemas));
  }
  log.info({ roles: schemas.map(databaseRole) }, "roles and schemas exist");
}

/** @throws StartupError if several replicas are configured for a single server */
async function makeStreams(url: string, replicas: number, log: Log): Promise<void> {
  const first = await connectBus({ url, name: natsAdmin, log, streams: [], buckets: [] });
  const isSingle = !isClustered(first);
  await first.close();
  if (isSingle && replicas > 1) {
    throw new StartupError(
      `NATS at ${new URL(url).host} is a single server, which keeps one copy of a stream, not ${replicas}. ` +
        `Set the number of servers back to 1, or follow "From one NATS server to three" in the chart's README.`,
    );
  }
  const bus = await connectBus({ url, name: natsAdmin, log, replicas });
  await bus.close();
  log.info({ replicas }, "streams and buckets exist");
}
