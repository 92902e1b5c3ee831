import type { ClickHouseClient } from "@clickhouse/client";
import type { Readable } from "node:stream";
import { appliedMigrations } from "../clickhouse/migrate.ts";
import { quoted, rowsOf } from "../clickhouse/rows.ts";

/** One partition of one table, the unit of a backup. */
export type HistoryPart = { table: string; partition: string };
/** Number of rows in a part; the bounds differ if rows arrived during the read. */
export type RowCount = { atLeast: number; atMost: number };
/** What to back up, in the order in which it must be read. */
export type HistoryContents = { migrations: string[]; parts: HistoryPart[] };

export type HistorySource = {
  contents(): Promise<HistoryContents>;
  /** Rows in ClickHouse's Native format, compressed with zstd; `undefined` if all were deleted or expired. */
  read(part: HistoryPart): Promise<{ body: Readable; rows: RowCount } | undefined>;
  close(): Promise<void>;
};

/** Whether a table name or partition id is safe to use in a path or statement. */
export const isPlainName = (text: string): boolean => /^[\w-]{1,100}$/.test(text);

/** Rows first, then marks, then figures: a restore recomputes hours whose mark is in the archive. */
const orderOf = (table: string): number =>
  /_(?:hours|days)$/.test(table) ? (table.startsWith("touched_") ? 1 : 2) : 0;

export async function tablesOf(client: ClickHouseClient): Promise<{ name: string; isReplacing: boolean }[]> {
  const rows = await rowsOf<{ name: string; engine: string }>(
    client,
    `SELECT name, engine FROM system.tables
     WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND name != 'schema_migrations' ORDER BY name`,
  );
  return rows.map(({ name, engine }) => ({ name, isReplacing: engine.includes("Replacing") }));
}

export async function readContents(client: ClickHouseClient): Promise<HistoryContents> {
  const migrations = [...(await appliedMigrations(client))].toSorted();
  const tables = new Set((await tablesOf(client)).map(({ name }) => name));
  const found = await rowsOf<HistoryPart>(
    client,
    `SELECT DISTINCT table, partition_id AS partition FROM system.parts
     WHERE database = currentDatabase() AND active ORDER BY table, partition`,
  );
  const parts = found.filter(({ table }) => tables.has(table));
  return { migrations, parts: parts.toSorted((a, b) => orderOf(a.table) - orderOf(b.table)) };
}

/** FROM and WHERE that read each row of a part once. @throws Error if the table does not exist */
export async function fromPart(client: ClickHouseClient, { table, partition }: HistoryPart): Promise<string> {
  const found = (await tablesOf(client)).find(({ name }) => name === table);
  if (found === undefined || !isPlainName(partition)) throw new Error("unknown part of the history");
  return `FROM ${table}${found.isReplacing ? " FINAL" : ""} WHERE _partition_id = '${partition}'`;
}

/** Lists the columns that `SELECT *` returns. @throws Error if the table does not exist */
export async function tableColumns(client: ClickHouseClient, table: string): Promise<{ name: string; type: string }[]> {
  const columns = await rowsOf<{ name: string; type: string }>(
    client,
    `SELECT name, type FROM system.columns
     WHERE database = currentDatabase() AND table = ${quoted(table)} AND default_kind NOT IN ('MATERIALIZED', 'ALIAS')
     ORDER BY position`,
  );
  if (columns.length === 0 || !isPlainName(table)) throw new Error("unknown history table");
  return columns;
}

export async function countPart(client: ClickHouseClient, part: HistoryPart): Promise<number> {
  const query = `SELECT toUInt32(count()) AS rows ${await fromPart(client, part)}`;
  const [counted] = await rowsOf<{ rows: number }>(client, query);
  return counted?.rows ?? 0;
}
