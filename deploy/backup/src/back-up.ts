import { StartupError } from "@sonde/kit/service/startup-error";
import type { HistorySource } from "@sonde/metrics/backup/parts";
import { formatVersion, historyPart, type Manifest, type shapes } from "./archive/manifest.ts";
import { writeArchive } from "./archive/write.ts";
import { explainFailure, failedBackup } from "./explain.ts";
import type { ArchiveDestination } from "./destinations/destination.ts";
import { exportSchemas } from "./postgres/export.ts";

export type Backup = {
  /** Its role must be able to read every schema. */
  databaseUrl: string;
  history: HistorySource;
  version: string;
  shape: (typeof shapes)[number];
  keyFingerprints: readonly string[];
  key?: string | undefined;
};

/**
 * Writes an archive of a running installation. PostgreSQL is read first, in one snapshot, so its rows never refer to
 * history that the archive lacks. After a failure nothing is left at the destination.
 * @throws StartupError if a server is unreachable or has no data
 */
export async function backUp(backup: Backup, destination: ArchiveDestination): Promise<void> {
  const archive = writeArchive(destination.stream);
  try {
    const startedAt = new Date().toISOString();
    const keySha256 = backup.key === undefined ? undefined : await archive.addKey(backup.key);
    const schemas = await exportSchemas(backup.databaseUrl, archive);
    const { migrations, parts } = await backup.history.contents();
    for (const part of parts) {
      const found = await backup.history.read(part);
      if (found !== undefined) await archive.add(historyPart(part.table, part.partition), found.body, () => found.rows);
    }
    const manifest: Omit<Manifest, "parts"> = {
      format: formatVersion,
      version: backup.version,
      startedAt,
      finishedAt: new Date().toISOString(),
      shape: backup.shape,
      keyFingerprints: [...backup.keyFingerprints],
      keySha256,
      schemas,
      history: { migrations },
    };
    await archive.finish(manifest);
    await destination.finish();
  } catch (fault) {
    archive.abort(fault instanceof Error ? fault : new Error(String(fault)));
    await destination.abort();
    throw explain(fault);
  } finally {
    await backup.history.close();
  }
}

const insufficientPrivilege = "42501";

function explain(fault: unknown): unknown {
  const { code } = fault as { code?: unknown };
  if (code === insufficientPrivilege) {
    return new StartupError("The PostgreSQL role cannot read every schema: set BACKUP_DATABASE_URL to one that can.");
  }
  return explainFailure(fault, failedBackup);
}
