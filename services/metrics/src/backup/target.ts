import type { ClickHouseClient } from "@clickhouse/client";
import { silentLog } from "@sonde/kit/service/log";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import { knownMigrations, migrate } from "../clickhouse/migrate.ts";
import { type ClickHouseTarget, openClickHouse } from "../clickhouse/open.ts";
import { isReplicated } from "../clickhouse/replicas.ts";
import { quoted, rowsOf } from "../clickhouse/rows.ts";
import { tableColumns, countPart, type HistoryPart, tablesOf } from "./parts.ts";
import { patientClient } from "./sources.ts";

/** Destination of a restore. It sets no TTL, so that all restored rows can be counted. */
export type HistoryTarget = {
  isEmpty(): Promise<boolean>;
  /** Runs these migrations, and detaches views: the archive contains the rows that they would write. */
  prepare(migrations: readonly string[]): Promise<void>;
  /** @param body chunks of zstd-compressed Native format */
  write(part: HistoryPart, body: AsyncIterable<Buffer>): Promise<void>;
  count(part: HistoryPart): Promise<number>;
  finish(): Promise<void>;
  close(): Promise<void>;
};

export { knownMigrations };

/** @param folder for temporary files of the embedded engine; created on demand and removed on close */
export async function openTarget(place: ClickHouseTarget, folder: string): Promise<HistoryTarget> {
  const clickhouse = await openClickHouse(place);
  const { writer } = clickhouse;
  const server = "url" in place ? patientClient(place.url) : undefined;
  const views = async () =>
    rowsOf<{ name: string }>(
      writer,
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'",
    );
  let detached: string[] = [];
  return {
    async isEmpty() {
      await clickhouse.ensureDatabase();
      const tables = await rowsOf(writer, "SELECT name FROM system.tables WHERE database = currentDatabase() LIMIT 1");
      return tables.length === 0;
    },
    async prepare(migrations) {
      await migrate(writer, silentLog, new Set(migrations));
      // The archive also contains the rows that migrations insert.
      for (const { name } of await tablesOf(writer)) await writer.command({ query: `TRUNCATE TABLE ${name}` });
      detached = (await views()).map(({ name }) => name);
      // A replicated database only supports detaching permanently.
      const lasting = (await isReplicated(writer)) ? " PERMANENTLY" : "";
      for (const name of detached) await writer.command({ query: `DETACH TABLE ${name}${lasting}` });
    },
    async write(part, body) {
      const columns = (await tableColumns(writer, part.table)).map(({ name }) => name).join(", ");
      if (server === undefined) return writeByFile(writer, folder, part.table, columns, body);
      const rows = Readable.from(body).pipe(createZstdDecompress());
      const answer = await server.exec({ query: `INSERT INTO ${part.table} (${columns}) FORMAT Native`, values: rows });
      answer.stream.resume();
    },
    count: (part) => countPart(writer, part),
    async finish() {
      for (const name of detached.splice(0)) await writer.command({ query: `ATTACH TABLE ${name}` });
    },
    async close() {
      await server?.close();
      await clickhouse.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The embedded engine accepts a statement's rows only as text, so Native data must come from a file. */
async function writeByFile(
  client: ClickHouseClient,
  folder: string,
  table: string,
  columns: string,
  body: AsyncIterable<Buffer>,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "part.native.zst");
  await pipeline(Readable.from(body), createWriteStream(file, { mode: 0o600 }));
  const from = `SELECT ${columns} FROM file(${quoted(file)}, 'Native')`;
  await client.command({ query: `INSERT INTO ${table} (${columns}) ${from}` });
  await rm(file);
}
