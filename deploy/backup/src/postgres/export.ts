import { StartupError } from "@sonde/kit/service/startup-error";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { pipeline } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { postgresPart, type SchemaShape } from "../archive/manifest.ts";
import type { ArchiveWriter } from "../archive/write.ts";
import { hasTables, quote, readSchema } from "./catalog.ts";

const fastCompression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const schemaNames: readonly string[] = databaseServices.map(schemaOf);

/** Reads all schemas in one snapshot. @throws StartupError if the role cannot see the tables of a schema */
export async function exportSchemas(url: string, archive: ArchiveWriter): Promise<SchemaShape[]> {
  const client = new pg.Client({ connectionString: url, application_name: "sonde-backup" });
  client.on("error", () => {}); // The pending query rejects.
  await client.connect();
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    await client.query("set local statement_timeout = 0");
    const schemas: SchemaShape[] = [];
    for (const name of schemaNames) {
      if (!(await hasTables(client, name))) {
        throw new StartupError(`PostgreSQL has no tables of ${name} that this role may see: has Sonde been started?`);
      }
      schemas.push(await readSchema(client, name));
    }
    for (const { name, tables } of schemas) {
      for (const table of tables) {
        const columns = table.columns.map(quote).join(", ");
        const copy = client.query(
          copyTo(`copy (select ${columns} from ${quote(name)}.${quote(table.name)}) to stdout`),
        );
        const body = pipeline(copy, createZstdCompress(fastCompression), () => {}); // The reader gets the error.
        await archive.add(postgresPart(name, table.name), body, () => exactly(copy.rowCount));
      }
    }
    return schemas;
  } finally {
    await client.end();
  }
}

const exactly = (rows: number) => ({ atLeast: rows, atMost: rows });
