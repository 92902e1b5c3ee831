import { rowsOf } from "./rows.ts";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Log } from "@sonde/kit/service/log";
import { readdir, readFile } from "node:fs/promises";

const folder = new URL("../../migrations/", import.meta.url);

/**
 * Brings the schema up to date: each numbered file of `migrations/` once, in order, noted in `schema_migrations` by its
 * name without extension. ClickHouse has neither transactions nor locks for this, so every statement must be harmless
 * when a second replica, or a second start after a crash, runs it again.
 */
export async function migrate(client: ClickHouseClient, log: Log): Promise<void> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS schema_migrations (name String, applied_at DateTime DEFAULT now())
      ENGINE = ReplacingMergeTree ORDER BY name`,
  });
  const rows = await rowsOf<{ name: string }>(client, "SELECT DISTINCT name FROM schema_migrations");
  const applied = new Set(rows.map(({ name }) => name));
  const files = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
  for (const file of files) {
    const name = file.slice(0, -".sql".length);
    if (applied.has(name)) continue;
    for (const query of statements(await readFile(new URL(file, folder), "utf8"))) await client.command({ query });
    await client.insert({
      table: "schema_migrations",
      columns: ["name"],
      values: [[name]],
      format: "JSONCompactEachRow",
    });
    log.info({ migration: name }, "schema migrated");
  }
}

/** The statements of a file: each ends with a semicolon at the end of its line. */
export function statements(sql: string): string[] {
  return sql
    .split(/;[ \t]*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/^\s*--.*$/gm, "").trim() !== "");
}
