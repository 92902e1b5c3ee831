/**
 * Test stand-in for clickhouse/clickhouse-server if it cannot be pulled: chDB behind the part of the HTTP interface that
 * ClickHouse's client uses. It runs one statement at a time and lacks streaming, sessions, the native protocol and
 * clusters. As in the official image, it reads CLICKHOUSE_USER, CLICKHOUSE_PASSWORD and CLICKHOUSE_DB, stores data in
 * /var/lib/clickhouse and serves HTTP on port 8123.
 */
import { join } from "node:path";
import { startEngine } from "@sonde/metrics/clickhouse/embedded";
import { serveClickHouse } from "@sonde/metrics/testing/http-clickhouse";

const { CLICKHOUSE_USER = "default", CLICKHOUSE_PASSWORD = "", CLICKHOUSE_DB, CLICKHOUSE_DATA } = process.env;
const engine = await startEngine(join(CLICKHOUSE_DATA ?? "/var/lib/clickhouse", "chdb"));
if (CLICKHOUSE_DB) {
  const connection = engine.connect();
  const query = `CREATE DATABASE IF NOT EXISTS \`${CLICKHOUSE_DB.replaceAll("`", "")}\``;
  await connection.query({ query } as Parameters<typeof connection.query>[0]);
  await connection.close();
}
const account = { user: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD };
const server = await serveClickHouse(engine, 8123, { host: "0.0.0.0", account });
process.stdout.write("A stand-in for ClickHouse, for tests only, listens at 8123.\n");

let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  await server.stop();
  engine.close();
  process.exit(0);
};
process.on("SIGTERM", () => void stop());
process.on("SIGINT", () => void stop());
