import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServicePart } from "@sonde/kit/service/start";
import type { Log } from "@sonde/kit/service/log";
import type { ClickHouse } from "../clickhouse/open.ts";
import type { Config } from "../config.ts";
import { serveHistory } from "./serve.ts";
import { engineSource } from "./sources.ts";

/** How a backup on the same machine reads the history. Readable only by the owner of the data directory. */
export const accessFile = (dataDir: string): string => join(dataDir, "backup-access.json");
export type HistoryAccess = { url: string; token: string };

/** Listens on loopback with a new token in `accessFile` under `npm start`, elsewhere only with `BACKUP_TOKEN`. */
export async function startHistoryListener(
  { connectExtra }: ClickHouse,
  config: Config,
  log: Log,
): Promise<ServicePart | undefined> {
  const { SONDE_LOCAL: isLocal, SONDE_DATA_DIR: dataDir, BACKUP_TOKEN: backupToken } = config;
  if (connectExtra === undefined || !(isLocal || backupToken !== undefined)) return undefined;
  const source = await engineSource(await connectExtra(), join(dataDir, "clickhouse-backup"));
  if (!isLocal)
    return serveHistory(source, { host: config.HOST, port: config.BACKUP_PORT, token: backupToken ?? "" }, log);
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
