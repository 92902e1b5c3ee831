import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServicePart } from "@sonde/kit/service/start";
import type { Log } from "@sonde/kit/service/log";
import type { ClickHouse } from "../clickhouse/open.ts";
import type { Config } from "../config.ts";
import { serveHistory } from "./serve.ts";
import { engineSource } from "./sources.ts";

/** Where a backup on the same machine finds the history; in the data directory, for its owner alone. */
export const accessFile = (dataDir: string): string => join(dataDir, "backup-access.json");
/** What is in that file. */
export type HistoryAccess = { url: string; token: string };

/**
 * Lets backups read the embedded engine: under `npm start` on the loopback address with a token of this start, which a file
 * in the data directory names; elsewhere where `BACKUP_TOKEN` is given. A backup reads an external server by itself.
 */
export async function startHistoryListener(
  { connectBeside }: ClickHouse,
  config: Config,
  log: Log,
): Promise<ServicePart | undefined> {
  const { SONDE_LOCAL: isLocal, SONDE_DATA_DIR: dataDir, BACKUP_TOKEN: given } = config;
  if (connectBeside === undefined || !(isLocal || given !== undefined)) return undefined;
  const source = await engineSource(await connectBeside(), join(dataDir, "clickhouse-backup"));
  if (!isLocal) return serveHistory(source, { host: config.HOST, port: config.BACKUP_PORT, token: given ?? "" }, log);
  const token = randomBytes(32).toString("base64url");
  const listener = await serveHistory(source, { host: "127.0.0.1", port: 0, token }, log);
  const file = accessFile(dataDir);
  const access: HistoryAccess = { url: `http://127.0.0.1:${listener.port}`, token };
  await writeFile(`${file}.new`, JSON.stringify(access), { mode: 0o600 });
  await rename(`${file}.new`, file);
  return {
    stop: async () => {
      await rm(file, { force: true });
      await listener.stop();
    },
  };
}
