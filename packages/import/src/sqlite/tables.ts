import { openPages, type Pages, UnreadableFileError } from "./pages.ts";
import { type SqliteColumn, readColumns } from "./columns.ts";
import { readRecord, type Value } from "./record.ts";
import { readTree } from "./tree.ts";

type Row = Record<string, Value>;
type Wanted = Readonly<Record<string, readonly string[]>>;

const maxRows = 50_000;

/** Reads some columns of some tables. Executes nothing; ignores views and triggers. @throws UnreadableFileError */
export async function readTables(file: Blob, wal: Blob | null, wanted: Wanted): Promise<Record<string, Row[]>> {
  const pages = await openPages(file, wal);
  const decoder = new TextDecoder(pages.encoding);
  const tables: Record<string, Row[]> = {};
  for await (const { payload } of readTree(pages, 1)) {
    const [type, name, , root, sql] = readRecord(payload, decoder);
    if (type !== "table" || typeof name !== "string" || !Object.hasOwn(wanted, name)) continue;
    if (typeof root !== "number" || root < 2 || typeof sql !== "string")
      throw new UnreadableFileError("invalid table entry");
    tables[name] = await readRows(pages, root, readColumns(sql), wanted[name] ?? [], decoder);
  }
  return tables;
}

async function readRows(
  pages: Pages,
  root: number,
  columns: readonly SqliteColumn[],
  wanted: readonly string[],
  decoder: TextDecoder,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { rowId, payload } of readTree(pages, root)) {
    const values = readRecord(payload, decoder);
    const row: Row = {};
    for (const [index, { name, standard, isRowId }] of columns.entries()) {
      if (!wanted.includes(name)) continue;
      // Records may have fewer values than the table has columns.
      const value = values[index];
      row[name] = isRowId ? rowId : value === undefined ? standard : value;
    }
    rows.push(row);
    if (rows.length > maxRows) throw new UnreadableFileError("too many rows");
  }
  return rows;
}
