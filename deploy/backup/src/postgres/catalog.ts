import type pg from "pg";
import type { SchemaShape, TableShape } from "../archive/manifest.ts";

/** Excludes partitions, which are exported with their parent table. */
const tablesQuery = `
  select c.relname as name, c.relkind = 'p' as "isPartitioned",
    array(select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
    array(select distinct p.relname::text from pg_constraint f join pg_class p on p.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as parents
  from pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migrations'
  order by c.relname`;
const partitionsQuery = `
  select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid
  where i.inhparent = ($1::regnamespace::text || '.' || quote_ident($2))::regclass order by c.relname`;

type TableRow = { name: string; isPartitioned: boolean; columns: string[]; parents: string[] };

/** Tables are sorted so that each follows the tables it references. */
export async function readSchema(client: pg.ClientBase, name: string): Promise<SchemaShape> {
  const quoted = quote(name);
  const { rows: migrations } = await client.query<{ name: string }>(
    `select name from ${quoted}.migrations order by name`,
  );
  const { rows: found } = await client.query<TableRow>(tablesQuery, [quoted]);
  const tables: TableShape[] = [];
  for (const table of inOrder(found)) {
    const { rows: partitions } = table.isPartitioned
      ? await client.query<{ name: string; bound: string }>(partitionsQuery, [quoted, table.name])
      : { rows: [] };
    tables.push({ name: table.name, columns: table.columns, partitions });
  }
  const { rows: sequences } = await client.query<{ name: string; last: string | null }>(
    "select sequencename as name, last_value::text as last from pg_sequences where schemaname = $1 order by 1",
    [name],
  );
  return { name, migrations: migrations.map((row) => row.name), tables, sequences };
}

/** Also false if the role has no access to the schema. */
export async function hasTables(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query(
    "select from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind in ('r', 'p') limit 1",
    [name],
  );
  return rows.length > 0;
}

/** @throws Error if tables reference each other in a cycle */
function inOrder(tables: readonly TableRow[]): TableRow[] {
  const done = new Map<string, TableRow>();
  let rest = [...tables];
  while (rest.length > 0) {
    const ready = rest.filter(({ parents }) => parents.every((parent) => done.has(parent)));
    if (ready.length === 0)
      throw new Error(`${rest.map(({ name }) => name).join(", ")} reference each other in a cycle`);
    for (const table of ready) done.set(table.name, table);
    rest = rest.filter(({ name }) => !done.has(name));
  }
  return [...done.values()];
}

export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
