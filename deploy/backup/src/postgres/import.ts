import { openDatabase, type Migrations } from "@sonde/kit/postgres/database";
import { silentLog } from "@sonde/kit/service/log";
import { type DatabaseService, databaseServices, schemaOf } from "@sonde/proto/services";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { ReadPart } from "../archive/read.ts";
import { type Manifest, postgresPart, type SchemaShape, type TableShape } from "../archive/manifest.ts";
import { hasTables, quote, readSchema } from "./catalog.ts";

/** URLs with the role that owns each service's schema. */
export type OwnerUrls = Readonly<Record<DatabaseService, string>>;

const loadMigrations = async (service: DatabaseService): Promise<Migrations> => {
  const loaded = (await import(`@sonde/${service}/migrations`)) as { migrations: Migrations };
  return loaded.migrations;
};

export async function hasMigrations({ schemas }: Manifest): Promise<boolean> {
  for (const service of databaseServices) {
    const available = await loadMigrations(service);
    const shape = schemas.find(({ name }) => name === schemaOf(service));
    if (shape?.migrations.some((name) => !(name in available)) === true) return false;
  }
  return schemas.every(({ name }) => databaseServices.some((service) => schemaOf(service) === name));
}

export async function filledSchemas(urls: OwnerUrls): Promise<string[]> {
  const filled: string[] = [];
  for (const service of databaseServices) {
    const client = await connect(urls[service]);
    try {
      if (await hasTables(client, schemaOf(service))) filled.push(schemaOf(service));
    } finally {
      await client.end();
    }
  }
  return filled;
}

export type SchemaImport = {
  /** @throws Error if the archive's rows do not fit the table */
  write(part: ReadPart): Promise<void>;
  /** Sets the sequences and commits. Returns the number of rows by part name. */
  finish(): Promise<Map<string, number>>;
  abort(): Promise<void>;
};

/** Creates a schema with the archive's migrations and without rows. */
export async function importSchema(service: DatabaseService, url: string, shape: SchemaShape): Promise<SchemaImport> {
  const all = await loadMigrations(service);
  const had = new Set(shape.migrations);
  const migrations = Object.fromEntries(Object.entries(all).filter(([name]) => had.has(name)));
  const database = await openDatabase({ url, schema: shape.name, migrations, log: silentLog, poolSize: 1 });
  await database.destroy();
  const client = await connect(url);
  const place = (table: { name: string }) => `${quote(shape.name)}.${quote(table.name)}`;
  const tables = new Map(shape.tables.map((table) => [postgresPart(shape.name, table.name), table]));
  try {
    await client.query("begin");
    await client.query("set local statement_timeout = 0");
    checkShape(shape, await readSchema(client, shape.name));
    // Some migrations insert rows, which are also in the archive.
    if (shape.tables.length > 0) await client.query(`truncate ${shape.tables.map(place).join(", ")}`);
    for (const table of shape.tables) await makePartitions(client, place(table), shape.name, table);
  } catch (fault) {
    await client.end();
    throw fault;
  }
  return {
    async write({ name, body }) {
      const table = tables.get(name);
      if (table === undefined) throw new Error(`${name} belongs to no table`);
      const columns = table.columns.map(quote).join(", ");
      const copy = client.query(copyFrom(`copy ${place(table)} (${columns}) from stdin`));
      await pipeline(Readable.from(body), createZstdDecompress(), copy);
    },
    async finish() {
      for (const { name, last } of shape.sequences) {
        if (last === null) continue;
        await client.query("select setval($1::regclass, $2::bigint, true)", [place({ name }), last]);
      }
      const counts = new Map<string, number>();
      for (const [part, table] of tables) {
        const { rows } = await client.query<{ rows: string }>(`select count(*) as rows from ${place(table)}`);
        counts.set(part, Number(rows[0]?.rows));
      }
      await client.query("commit");
      await client.end();
      return counts;
    },
    abort: () => client.end(),
  };
}

/** @throws Error if the tables differ despite the same migrations, because rows could be lost or end in other columns */
function checkShape(expected: SchemaShape, found: SchemaShape): void {
  const describe = ({ tables, sequences }: SchemaShape) =>
    JSON.stringify([
      tables.map(({ name, columns }) => `${name} ${columns.toSorted().join()}`).toSorted(),
      sequences.map(({ name }) => name).toSorted(),
    ]);
  if (describe(expected) !== describe(found)) {
    throw new Error(`the tables of ${expected.name} differ from those in the archive`);
  }
}

/** Numeric bounds as PostgreSQL prints them. Anything else could be injected SQL. */
const bound = /^FOR VALUES FROM \('-?\d+'\) TO \('-?\d+'\)$/;

async function makePartitions(client: pg.Client, parent: string, schema: string, table: TableShape): Promise<void> {
  for (const partition of table.partitions) {
    if (!bound.test(partition.bound)) throw new Error(`the bound of ${partition.name} is not one that Sonde creates`);
    await client.query(
      `create table if not exists ${quote(schema)}.${quote(partition.name)} partition of ${parent} ${partition.bound}`,
    );
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, application_name: "sonde-restore" });
  client.on("error", () => {}); // The pending query rejects.
  await client.connect();
  return client;
}
