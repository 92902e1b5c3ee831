import { ConfigError, env, readConfig } from "@sonde/kit/service/config";
import { explainError, StartupError } from "@sonde/kit/service/startup-error";
import { serverSource } from "@sonde/metrics/backup/sources";
import * as z from "zod";
import own from "../package.json" with { type: "json" };
import { readCommand } from "./arguments.ts";
import { backUp } from "./back-up.ts";
import { openDestination } from "./destinations/open.ts";
import { remoteSource } from "./history/remote.ts";
import { fingerprintsOf, fingerprintsOfMaster } from "./key.ts";
import { describeBackup } from "./report.ts";

/** The program of the image `backup`, for an installation whose services have containers of their own. */
const schema = z.object({
  /** Its role must be able to read every schema. */
  BACKUP_DATABASE_URL: env.databaseUrl(),
  CLICKHOUSE_URL: env.httpUrl().optional(),
  /** Where metrics serves its embedded ClickHouse. Needs `BACKUP_TOKEN`. */
  HISTORY_URL: env.httpUrl().optional(),
  BACKUP_TOKEN: z.string().optional(),
  /** Used to compute the archive's key fingerprints. */
  SONDE_KEY_BACKUP: z.string().optional(),
  /** Needed only with `--with-key`. */
  SONDE_SECRET_KEY: env.secretKey().optional(),
});

async function runBackup(to: string, withKey: boolean, keep: number): Promise<void> {
  const config = readConfig(schema, process.env);
  const { CLICKHOUSE_URL: server, HISTORY_URL: url, BACKUP_TOKEN: token, SONDE_SECRET_KEY: key } = config;
  if (withKey && key === undefined) throw new StartupError("--with-key requires SONDE_SECRET_KEY.");
  if (server === undefined && (url === undefined || token === undefined)) {
    throw new StartupError(
      "Set CLICKHOUSE_URL, or HISTORY_URL and BACKUP_TOKEN of a metrics service with the embedded ClickHouse.",
    );
  }
  const destination = await openDestination(to, { keep });
  abortOnSignal(destination.abort);
  const fingerprints =
    key === undefined ? config.SONDE_KEY_BACKUP && fingerprintsOf(config.SONDE_KEY_BACKUP) : fingerprintsOfMaster(key);
  const backup = {
    databaseUrl: config.BACKUP_DATABASE_URL,
    history: server === undefined ? remoteSource(url ?? "", token ?? "") : serverSource(server),
    version: own.version,
    shape: "distributed",
    keyFingerprints: fingerprints || [],
    key: withKey ? key : undefined,
  } as const;
  await backUp(backup, destination);
  process.stderr.write(describeBackup(destination.name, withKey));
}

function abortOnSignal(abort: () => Promise<void>): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void abort().finally(() => process.exit(1)));
  }
}

process.umask(0o077);
const [word, ...rest] = process.argv.slice(2);
try {
  const command = word === "backup" ? readCommand(word, rest) : undefined;
  if (command?.word !== "backup") {
    throw new StartupError(
      "This image only makes backups (`backup DESTINATION`). To restore, use the all-in-one image, for any kind of installation.",
    );
  }
  await runBackup(command.to, command.withKey, command.keep);
  process.exit(0);
} catch (fault) {
  const isUnexpected = fault instanceof Error && !(fault instanceof StartupError || fault instanceof ConfigError);
  process.stderr.write(`${isUnexpected && !("code" in fault) ? fault.stack : explainError(fault)}\n`);
  process.exit(1);
}
