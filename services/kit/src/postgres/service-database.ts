import { schemaOf } from "@sonde/proto/services";
import type { Foundation } from "../service/start.ts";
import { watchPool } from "./pool-telemetry.ts";
import { type Database, databaseAlive, type DatabaseOptions, openDatabase } from "./database.ts";

export type ServiceDatabaseOptions = Omit<DatabaseOptions, "log" | "schema" | "whenRefused"> & {
  /** Where it is not named like the service. */
  schema?: string | undefined;
};

/**
 * Opens a service's own schema, waiting for PostgreSQL, and unless this is `npm start` for its role there, too. The
 * service is ready while it answers, and closes it when it stops.
 */
export async function openServiceDatabase(
  { name, log, use, check, isLocal }: Foundation,
  { schema = schemaOf(name), ...options }: ServiceDatabaseOptions,
): Promise<Database> {
  let opened: Database | undefined;
  check("database", () => opened !== undefined && databaseAlive(opened));
  const db = (opened = await openDatabase({ ...options, schema, log, whenRefused: isLocal ? "fail" : "wait" }));
  const stopWatching = watchPool(db, schema);
  use({ stop: () => (stopWatching(), db.destroy()) });
  return db;
}
