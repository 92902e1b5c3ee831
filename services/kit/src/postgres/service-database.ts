import { schemaOf } from "@sonde/proto/services";
import type { Foundation } from "../service/start.ts";
import { watchPool } from "./pool-telemetry.ts";
import { type Database, databaseAlive, type DatabaseOptions, openDatabase } from "./database.ts";

export type ServiceDatabaseOptions = Omit<DatabaseOptions, "log" | "schema"> & {
  /** Where it is not named like the service. */
  schema?: string | undefined;
};

/** Opens a service's own schema, waiting for PostgreSQL. The service is ready while it answers, and closes it when it stops. */
export async function openServiceDatabase(
  { name, log, use, check }: Foundation,
  { schema = schemaOf(name), ...options }: ServiceDatabaseOptions,
): Promise<Database> {
  const db = await openDatabase({ ...options, schema, log });
  const stopWatching = watchPool(db, schema);
  use({ stop: () => (stopWatching(), db.destroy()) });
  check("database", () => databaseAlive(db));
  return db;
}
