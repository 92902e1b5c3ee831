import { isReplicated, withReplicas } from "./replicas.ts";
import { rowsOf } from "./rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Log } from "@sonde/kit/service/log";
import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../../migrations/", import.meta.url);

/**
 * Runs each file of `migrations/` once, in order. ClickHouse has neither transactions nor locks for this, so every
 * statement must be safe to run again, by a second replica or after a crash.
 * @param only names of the migrations to run; default: all
 */
export async function migrate(client: ClickHouseClient, log: Log, only?: ReadonlySet<string>): Promise<void> {
  const own = (await isReplicated(client)) ? withReplicas : (statement: string) => statement;
  await client.command({
    query: own(`CREATE TABLE IF NOT EXISTS schema_migrations (name String, applied_at DateTime DEFAULT now())
      ENGINE = ReplacingMergeTree ORDER BY name`),
  });
  const applied = await appliedMigrations(client);
  for (const name of await knownMigrations()) {
    if (applied.has(name) || only?.has(name) === false) continue;
    const sql = await readFile(new URL(`${name}.sql`, folder), "utf8");
    for (const query of statements(sql)) await client.command({ query: own(query) });
    await client.insert({
      table: "schema_migrations",
      columns: ["name"],
      values: [[name]],
      format: "JSONCompactEachRow",
    });
    log.info({ migration: name }, "schema migrated");
  }
}

export const knownMigrations = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((file) => file.endsWith(".sql"))
    .map((file) => file.slice(0, -".sql".length))
    .sort();

export async function appliedMigrations(client: ClickHouseClient): Promise<Set<string>> {
  const rows = await rowsOf<{ name: string }>(client, "SELECT DISTINCT name FROM schema_migrations");
  return new Set(rows.map(({ name }) => name));
}

/** Splits a file into statements; each ends with a semicolon at the end of a line. */
export function statements(sql: string): string[] {
  return sql
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^\s*--.*$/gm, "").trim() !== "");
}
