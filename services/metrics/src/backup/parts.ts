import type { ClickHouseClient } from "@clickhouse/client";
import type { Readable } from "node:stream";
import { appliedMigrations } from "../clickhouse/migrate.ts";
import { quoted, rowsOf } from "../clickhouse/rows.ts";

/** The rows of one table within one of its partitions, which a backup takes as one piece. */
export type HistoryPart = { table: string; partition: string };
/** How many rows a piece has; two numbers where rows came while it was read. */
export type RowCount = { atLeast: number; atMost: number };
/** What there is to be backed up, in the order in which it has to be read. */
export type HistoryContents = { migrations: string[]; parts: HistoryPart[] };

/** Where a backup reads the time series from. */
export type HistorySource = {
  contents(): Promise<HistoryContents>;
  /** Rows in ClickHouse's format Native, compressed with zstd; undefined if all were deleted or became too old. */
  read(part: HistoryPart): Promise<{ body: Readable; rows: RowCount } | undefined>;
  close(): Promise<void>;
};

/** A name or an id that ClickHouse made of letters, digits, `_` and `-`: what may stand in a path or a statement. */
export const isPlainName = (text: string): boolean => /^[\w-]{1,100}$/.test(text);

/**
 * Rows are read before the marks of hours that they touched, and both before hours and days: an hour whose figures were
 * computed too early for a row of the archive has its mark in there, too, and is computed again after a restore.
 */
const orderOf = (table: string): number =>
  /_(?:hours|days)$/.test(table) ? (table.startsWith("touched_") ? 1 : 2) : 0;

/** Tables that hold rows, without the record of migrations. */
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

/**
 * The statement's part after SELECT: what is read of a piece, each row once.
 * @throws Error where the piece is of no table
 */
export async function fromPart(client: ClickHouseClient, { table, partition }: HistoryPart): Promise<string> {
  const found = (await tablesOf(client)).find(({ name }) => name === table);
  if (found === undefined || !isPlainName(partition)) throw new Error("there is no such piece of the history");
  return `FROM ${table}${found.isReplacing ? " FINAL" : ""} WHERE _partition_id = '${partition}'`;
}

/** The columns that `SELECT *` reads of a table. @throws Error where there is no such table */
export async function tableColumns(client: ClickHouseClient, table: string): Promise<{ name: string; type: string }[]> {
  const columns = await rowsOf<{ name: string; type: string }>(
    client,
    `SELECT name, type FROM system.columns
     WHERE database = currentDatabase() AND table = ${quoted(table)} AND default_kind NOT IN ('MATERIALIZED', 'ALIAS')
     ORDER BY position`,
  );
  if (columns.length === 0 || !isPlainName(table)) throw new Error("there is no such table of the history");
  return columns;
}

/** The rows of a piece, each once. */
export async function countPart(client: ClickHouseClient, part: HistoryPart): Promise<number> {
  const query = `SELECT toUInt32(count()) AS rows ${await fromPart(client, part)}`;
  const [counted] = await rowsOf<{ rows: number }>(client, query);
  return counted?.rows ?? 0;
}
