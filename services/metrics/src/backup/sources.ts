import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { createReadStream } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { createZstdCompress } from "node:zlib";
import { pipeline } from "node:stream";
import { createQueue } from "@sonde/kit/concurrency/limiter";
import { quoted, rowsOf } from "../clickhouse/rows.ts";
import { tableColumns, countPart, fromPart, type HistorySource, readContents } from "./parts.ts";

/** A part with a busy month takes a server seconds, but a slow disk may take much longer. */
export const patienceMs = 30 * 60_000;
/** One thread only, so that checks are not delayed; without deduplication across partitions. */
const sparing = "max_threads = 1, do_not_merge_across_partitions_select_final = 1";

export const patientClient = (url: string): ClickHouseClient =>
  createClient({
    url,
    request_timeout: patienceMs,
    application: "sonde-backup",
    log: { level: ClickHouseLogLevel.OFF },
  });

export function serverSource(url: string): HistorySource {
  const client = patientClient(url);
  return {
    contents: () => readContents(client),
    async read(part) {
      const before = await countPart(client, part);
      if (before === 0) return undefined;
      const query = `SELECT * ${await fromPart(client, part)} SETTINGS ${sparing} FORMAT Native`;
      // The server buffers the complete result, so an error midway fails the request instead of truncating it.
      const answer = await client.exec({ query, clickhouse_settings: { wait_end_of_query: 1 } });
      const after = await countPart(client, part);
      const body = pipeline(answer.stream, createZstdCompress(), () => {}); // The reader receives errors.
      return { body, rows: { atLeast: Math.min(before, after), atMost: Math.max(before, after) } };
    },
    close: () => client.close(),
  };
}

/** Writes each part to a file in `folder`, which it empties: results over a connection are buffered in memory. */
export async function engineSource(client: ClickHouseClient, folder: string): Promise<HistorySource> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const inTurn = createQueue();
  let written = 0;
  return {
    contents: () => inTurn(() => readContents(client)),
    read: (part) =>
      inTurn(async () => {
        const file = join(folder, `${(written += 1)}.native.zst`);
        const place = quoted(file);
        const from = await fromPart(client, part);
        // Lowest compression level: twice as fast, for an archive that is an eighth larger.
        const settings = `${sparing}, output_format_compression_level = 1`;
        await client.command({
          query: `INSERT INTO FUNCTION file(${place}, 'Native') SELECT * ${from} SETTINGS ${settings}`,
        });
        // A file without rows does not contain its column types.
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
