import { type Command, readCommand } from "@sonde/backup/arguments";
import { backUp } from "@sonde/backup/back-up";
import { fetchArchive } from "@sonde/backup/destinations/fetch";
import { openDestination } from "@sonde/backup/destinations/open";
import { remoteSource } from "@sonde/backup/history/remote";
import { explainFailure, failedRestore } from "@sonde/backup/explain";
import { fingerprintsOfMaster, opensArchive } from "@sonde/backup/key";
import type { OwnerUrls } from "@sonde/backup/postgres/import";
import { describeBackup, describeKey, describeOtherKey, describeRestore } from "@sonde/backup/report";
import { type CheckedArchive, checkArchive, checkEmpty, restore } from "@sonde/backup/restore";
import { endPostgres, runningPostgres, startPostgres } from "@sonde/embedded/postgres";
import { StartupError } from "@sonde/kit/service/startup-error";
import { openRoles } from "@sonde/kit/postgres/roles";
import { accessFile, type HistoryAccess } from "@sonde/metrics/backup/start";
import { serverSource } from "@sonde/metrics/backup/sources";
import { openTarget } from "@sonde/metrics/backup/target";
import { engineDir } from "@sonde/metrics/clickhouse/embedded";
import { databaseServices, schemaOf } from "@sonde/proto/services";
import { chmod, mkdir, readdir, readFile, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import own from "../../package.json" with { type: "json" };
import type { Config } from "../config.ts";
import { dataDirOf, openDataDir, readSecretKey, writeSecretKey } from "../data-dir.ts";
import { takeDataDir } from "../run-file.ts";

/**
 * @returns the report
 * @param onAbort receives a function that removes an incomplete archive or stops the started servers
 * @throws StartupError
 */
export async function runBackupCommand(
  word: Command["word"],
  args: readonly string[],
  config: Config,
  onAbort: (abort: () => Promise<void>) => void,
): Promise<string> {
  const command = readCommand(word, args);
  if (command.word === "restore") return restoreHere(command, config, onAbort);
  return backUpHere(command, config, onAbort);
}

/** Reads PostgreSQL with the running Sonde's password, and the history through metrics. */
async function backUpHere(
  { to, withKey, keep }: Extract<Command, { word: "backup" }>,
  config: Config,
  onAbort: (abort: () => Promise<void>) => void,
): Promise<string> {
  const dataDir = dataDirOf(config.SONDE_DATA_DIR);
  const isExternal = databaseServices.every((service) => config.databaseUrls[service] !== undefined);
  const databaseUrl =
    config.BACKUP_DATABASE_URL ??
    config.DATABASE_URL ??
    (isExternal ? undefined : await runningPostgres(join(dataDir, "postgres")));
  if (isExternal && databaseUrl === undefined) {
    throw new StartupError(
      "Each service has its own DATABASE_URL: set BACKUP_DATABASE_URL to a role that can read all schemas.",
    );
  }
  const access = config.CLICKHOUSE_URL === undefined ? await readAccess(dataDir) : undefined;
  if (databaseUrl === undefined || (config.CLICKHOUSE_URL === undefined && access === undefined)) {
    throw new StartupError(`Sonde is not running on ${dataDir}. Start it before you make a backup.`);
  }
  const master = config.SONDE_SECRET_KEY ?? (await readSecretKey(dataDir));
  // With the fingerprint of a new key, the archive could not be restored with the right one.
  if (master === undefined) {
    throw new StartupError(`${dataDir} contains no sealing key. Set SONDE_SECRET_KEY to the key that Sonde runs with.`);
  }
  const destination = await openDestination(to, { keep });
  onAbort(destination.abort);
  const backup = {
    databaseUrl,
    history: access === undefined ? serverSource(config.CLICKHOUSE_URL ?? "") : remoteSource(access.url, access.token),
    version: own.version,
    shape: "all-in-one",
    keyFingerprints: fingerprintsOfMaster(master),
    key: withKey ? master : undefined,
  } as const;
  await backUp(backup, destination);
  return describeBackup(destination.name, withKey);
}

async function readAccess(dataDir: string): Promise<HistoryAccess | undefined> {
  const text = await readFile(accessFile(dataDir), "utf8").catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== "ENOENT") throw fault;
  });
  return text === undefined ? undefined : (JSON.parse(text) as HistoryAccess);
}

/** Names that an empty data directory may contain, besides the archive. A killed restore leaves `restoring`. */
const ignoredNames = new Set([
  "run.json",
  "run.lock",
  "run.lock-journal",
  "secret-key",
  "lost+found",
  "logs",
  "restoring",
]);

/**
 * Starts the embedded servers in a draft folder, restores into them, and stops them. The complete result is renamed into
 * place, so a start never finds a partial one.
 */
async function restoreHere(
  { from, onlyIfEmpty }: Extract<Command, { word: "restore" }>,
  config: Config,
  onAbort: (abort: () => Promise<void>) => void,
): Promise<string> {
  const dataDir = await openDataDir(config.SONDE_DATA_DIR);
  const run = await takeDataDir(dataDir, () => {});
  const draft = join(dataDir, "restoring");
  const isArchive = (name: string) => join(dataDir, name) === resolve(from);
  try {
    const others = (await readdir(dataDir)).filter((name) => !ignoredNames.has(name) && !isArchive(name));
    if (others.length > 0 && onlyIfEmpty) return `${dataDir} already contains an installation: nothing was restored.\n`;
    if (others.length > 0) {
      throw new StartupError(
        `A restore requires an empty installation, but ${dataDir} already contains ${others.slice(0, 3).join(", ")}. ` +
          "Set SONDE_DATA_DIR to another folder.",
      );
    }
    await endPostgres(join(draft, "postgres"));
    await rm(draft, { recursive: true, force: true });
    onAbort(() => endPostgres(join(draft, "postgres")));
    // When started as root, PostgreSQL runs as another user, which needs access.
    await mkdir(draft, { mode: 0o700 });
    if (process.getuid?.() === 0) await chmod(draft, 0o711);
    const fetched = await fetchArchive(from, join(draft, "archive"));
    const stored = await readSecretKey(dataDir);
    const archive = await checkArchive(fetched.file, { master: config.SONDE_SECRET_KEY ?? stored });
    const report = await restoreInto(draft, archive, config);
    const keyReport = await storeKey(dataDir, archive, { configured: config.SONDE_SECRET_KEY, stored });
    await fetched.remove();
    for (const name of await readdir(draft)) await rename(join(draft, name), join(dataDir, name));
    return report + keyReport;
  } catch (fault) {
    throw explainFailure(fault, failedRestore);
  } finally {
    await rm(draft, { recursive: true, force: true });
    run.remove();
  }
}

/** Stores the key for the next start, which would otherwise create a new one. Returns a line for the report. */
async function storeKey(
  dataDir: string,
  { manifest, key }: CheckedArchive,
  { configured, stored }: { configured: string | undefined; stored: string | undefined },
): Promise<string> {
  const restored = configured ?? key;
  if (stored === undefined && restored !== undefined) return describeKey(await writeSecretKey(dataDir, restored));
  if (stored === undefined || opensArchive(manifest, fingerprintsOfMaster(stored))) return "";
  return describeOtherKey(dataDir);
}

async function restoreInto(folder: string, archive: CheckedArchive, config: Config): Promise<string> {
  const isExternal = databaseServices.every((service) => config.databaseUrls[service] !== undefined);
  const postgres = isExternal ? undefined : await startPostgres({ dataDir: join(folder, "postgres") });
  try {
    const roleUrls = postgres && (await openRoles(postgres.url, databaseServices.map(schemaOf)));
    const urls = Object.fromEntries(
      databaseServices.map((service) => [service, config.databaseUrls[service] ?? roleUrls?.get(schemaOf(service))]),
    ) as OwnerUrls;
    const { CLICKHOUSE_URL: url } = config;
    const place = url === undefined ? { dataDir: engineDir(folder) } : { url };
    const target = await openTarget(place, join(folder, "parts"));
    try {
      await checkEmpty(urls, target);
      return describeRestore(archive, await restore(archive, urls, target));
    } finally {
      await target.close();
    }
  } finally {
    await postgres?.stop();
  }
}
