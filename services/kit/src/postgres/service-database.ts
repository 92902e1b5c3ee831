import { schemaOf } from "@sonde/proto/services";
import type { Foundation } from "../service/start.ts";
import { scrapedGauge } from "../telemetry/metrics.ts";
import { type Database, databaseAlive, type DatabaseOptions, explainUnavailable, openDatabase } from "./database.ts";

export type ServiceDatabaseOptions = Omit<DatabaseOptions, "log" | "schema" | "whenRefused"> & {
  schema?: string | undefined;
};

/**
 * Closes when the service stops. Waits for PostgreSQL and, except under `npm start`, for its role there. Adds a
 * readiness check and maps outages to `unavailable`.
 */
export async function openServiceDatabase(
  { name, log, use, check, explain, isLocal }: Foundation,
  { schema = schemaOf(name), ...options }: ServiceDatabaseOptions,
): Promise<Database> {
  let opened: Database | undefined;
  explain(explainUnavailable);
  check("database", () => opened !== undefined && databaseAlive(opened));
  const db = (opened = await openDatabase({ ...options, schema, log, whenRefused: isLocal ? "fail" : "wait" }));
  const stopWatching = watchPool(db, schema);
  use({ stop: () => (stopWatching(), db.destroy()) });
  return db;
}

const connections = scrapedGauge(
  "sonde_database_connections",
  "Connections to PostgreSQL by state (`used`, `idle`), and their maximum (`limit`)",
  ["schema", "state"],
);
const waiting = scrapedGauge("sonde_database_waiting", "Queries waiting for a PostgreSQL connection", ["schema"]);

type Pool = { max: number; numUsed(): number; numFree(): number; numPendingAcquires(): number };

function watchPool(db: Database, schema: string): () => void {
  const pool = db.client.pool as Pool;
  const ends = [
    connections(() =>
      Object.entries({ used: pool.numUsed(), idle: pool.numFree(), limit: pool.max }).map(([state, value]) => ({
        labels: { schema, state },
        value,
      })),
    ),
    waiting(() => [{ labels: { schema }, value: pool.numPendingAcquires() }]),
  ];
  return () => ends.forEach((end) => end());
}
