import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { createReadStream } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createZstdCompress } from "node:zlib";
import { pipeline } from "node:stream";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import { quoted, rowsOf } from "../clickhouse/rows.ts";
import { tableColumns, countPart, fromPart, type HistorySource, readContents } from "./parts.ts";

/** A piece of a busy month takes a server some seconds; a slow disk may take much longer. */
export const patienceMs = 30 * 60_000;
/** One processor at most, so that no check is late; without looking for duplicates across partitions. */
const sparing = "max_threads = 1, do_not_merge_across_partitions_select_final = 1";

/** A client of a server for statements that take long and answer much. */
export const patientClient = (url: string): ClickHouseClient =>
  createClient({
    url,
    request_timeout: patienceMs,
    application: "sonde-backup",
    log: { level: ClickHouseLogLevel.OFF },
  });

/** Reads from a server by HTTP. */
export function serverSource(url: string): HistorySource {
  const client = patientClient(url);
  return {
    contents: () => readContents(client),
    async read(part) {
      const before = await countPart(client, part);
      if (before === 0) return undefined;
      const query = `SELECT * ${await fromPart(client, part)} SETTINGS ${sparing} FORMAT Native`;
      // Held by the server until it is whole: a fault in its middle is then no answer at all.
      const answer = await client.exec({ query, clickhouse_settings: { wait_end_of_query: 1 } });
      const after = await countPart(client, part);
      const body = pipeline(answer.stream, createZstdCompress(), () => {}); // Who reads it gets the fault.
      return { body, rows: { atLeast: Math.min(before, after), atMost: Math.max(before, after) } };
    },
    close: () => client.close(),
  };
}

/**
 * Reads from the embedded engine, which writes each piece into a file of `folder`: its answers are held in memory whole
 * otherwise. The folder is for this alone, and emptied.
 */
export async function engineSource(client: ClickHouseClient, folder: string): Promise<HistorySource> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  // A connection runs one statement at a time.
  const inTurn = createQueue();
  let written = 0;
  return {
    contents: () => inTurn(() => readContents(client)),
    read: (part) =>
      inTurn(async () => {
        const file = join(folder, `${(written += 1)}.native.zst`);
        const place = quoted(file);
        const from = await fromPart(client, part);
        // The least level: twice as fast, for an archive that is an eighth larger.
        const settings = `${sparing}, output_format_compression_level = 1`;
        await client.command({
          query: `INSERT INTO FUNCTION file(${place}, 'Native') SELECT * ${from} SETTINGS ${settings}`,
        });
        // A file without rows does not say what its columns are.
        const structure = (await tableColumns(client, part.table))
          .map(({ name, type }) => `${name} ${type}`)
          .join(", ");
        const [counted] = await rowsOf<{ rows: number }>(
          client,
          `SELECT toUInt32(count()) AS rows FROM file(${place}, 'Native', ${quoted(structure)})`,
        );
        const rows = counted?.rows ?? 0;
        if (rows === 0) {
          await rm(file);
          return undefined;
        }
        const body = createReadStream(file, { highWaterMark: 2 ** 20 });
        body.once("close", () => void rm(file, { force: true }).catch(() => {})); // The next backup empties the folder.
        return { body, rows: { atLeast: rows, atMost: rows } };
      }),
    close: async () => {
      await client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
