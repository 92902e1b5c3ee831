import { StartupError } from "@sonde/kit/service/startup-error";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { pipeline } from "node:stream";
import { constants, createZstdCompress } from "node:zlib";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { postgresPart, type SchemaShape } from "../archive/manifest.ts";
import type { ArchiveWriter } from "../archive/write.ts";
import { hasTables, quote, readSchema } from "./catalog.ts";

/** The least level: a backup may take little of the processor. */
const sparing = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Every service's schema. */
export const schemaNames: readonly string[] = databaseServices.map(schemaOf);

/**
 * Writes every schema into the archive, all of one snapshot.
 * @param url of a role that may read them all
 * @throws StartupError where there is nothing to be backed up
 */
export async function exportSchemas(url: string, archive: ArchiveWriter): Promise<SchemaShape[]> {
  const client = new pg.Client({ connectionString: url, application_name: "sonde-backup" });
  client.on("error", () => {}); // The pending query rejects by itself.
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
        const body = pipeline(copy, createZstdCompress(sparing), () => {}); // Who reads it gets the fault.
        await archive.add(postgresPart(name, table.name), body, () => exactly(copy.rowCount));
      }
    }
    return schemas;
  } finally {
    await client.end();
  }
}

const exactly = (rows: number) => ({ atLeast: rows, atMost: rows });
