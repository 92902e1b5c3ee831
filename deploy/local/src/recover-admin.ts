import { describeRecovered, recoverAdmin } from "@sonde/auth/recover-admin";
import { startPostgres } from "@sonde/embedded/postgres";
import { StartupError } from "@sonde/kit/service/startup-error";
import { openRoles } from "@sonde/kit/postgres/roles";
import { schemaOf } from "@sonde/proto/services";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config.ts";
import { dataDirOf, openDataDir } from "./data-dir.ts";
import { takeDataDir } from "./run-file.ts";

/**
 * Uses the configured database, or the embedded one while Sonde is stopped.
 * @throws StartupError if Sonde runs; AppError
 */
export async function recoverHere(config: Config, username?: string): Promise<string> {
  const { auth } = config.databaseUrls;
  if (auth !== undefined) return describeRecovered(await recoverAdmin(auth, username));
  const exists = await stat(join(dataDirOf(config.SONDE_DATA_DIR), "postgres")).then(
    () => true,
    () => false,
  );
  if (!exists) {
    throw new StartupError(
      `${dataDirOf(config.SONDE_DATA_DIR)} contains no Sonde installation. Is SONDE_DATA_DIR correct?`,
    );
  }
  const dataDir = await openDataDir(config.SONDE_DATA_DIR);
  const run = await takeDataDir(dataDir, () => {});
  try {
    const postgres = await startPostgres({ dataDir: join(dataDir, "postgres") });
    try {
      const urls = await openRoles(postgres.url, [schemaOf("auth")]);
      return describeRecovered(await recoverAdmin(urls.get(schemaOf("auth"))!, username));
    } finally {
      await postgres.stop();
    }
  } finally {
    run.remove();
  }
}
