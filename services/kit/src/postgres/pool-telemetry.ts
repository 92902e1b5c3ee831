import { scrapedGauge } from "../telemetry/metrics.ts";
import type { Database } from "./database.ts";

const connections = scrapedGauge(
  "sonde_database_connections",
  "Connections to PostgreSQL by state (used, idle), and how many may be open (limit)",
  ["schema", "state"],
);
const waiting = scrapedGauge("sonde_database_waiting", "Queries that wait for a connection to PostgreSQL", ["schema"]);

/** What knex's pool (tarn) reports about itself. */
type Pool = { max: number; numUsed(): number; numFree(): number; numPendingAcquires(): number };

/** Reports metrics of a database's pool until the returned function is called. */
export function watchPool(db: Database, schema: string): () => void {
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
