import { StartupError } from "@sonde/kit/service/startup-error";
import { deriveKeys, isKeyList } from "@sonde/kit/secret-keys";
import type { Manifest } from "./archive/manifest.ts";
import { sha256 } from "./archive/write.ts";

/** Returns one hash per key of `SONDE_KEY_BACKUP`, to recognise it. */
export const fingerprintsOf = (backupKeys: string): string[] =>
  backupKeys.split(",").map((key) => sha256(Buffer.from(key.trim(), "base64")).slice(0, 32));

export const fingerprintsOfMaster = (masters: string): string[] => fingerprintsOf(deriveKeys(masters).SONDE_KEY_BACKUP);

/** True if the keys with these fingerprints can decrypt every secret of an archive. */
export const opensArchive = ({ keyFingerprints: needed }: Manifest, available: readonly string[]): boolean =>
  needed.every((fingerprint) => available.includes(fingerprint));

export type RestoreKeys = {
  /** `SONDE_SECRET_KEY`, or the file `secret-key` of the data directory. */
  master?: string | undefined;
  /** `SONDE_KEY_BACKUP`, used only without a master key. */
  backup?: string | undefined;
};

/**
 * Checks that the keys can decrypt the archive's secrets.
 * @param inArchive the key in the archive, used if `keys` has none
 * @throws StartupError if there is no key, or a different one
 */
export function checkKey(manifest: Manifest, keys: RestoreKeys, inArchive: string | undefined): void {
  if (inArchive !== undefined && !isKeyList(inArchive)) throw new StartupError("The archive contains an invalid key.");
  const own = keys.master === undefined ? keys.backup : deriveKeys(keys.master).SONDE_KEY_BACKUP;
  const fingerprints =
    own !== undefined ? fingerprintsOf(own) : inArchive === undefined ? [] : fingerprintsOfMaster(inArchive);
  if (fingerprints.length === 0) {
    throw new StartupError(
      "The sealing key is missing: without it, no credentials of monitors or channels in this archive can be decrypted. " +
        "Set SONDE_SECRET_KEY to the key of the installation that was backed up (its file `secret-key`), or restore an archive " +
        "that was created with --with-key.",
    );
  }
  if (opensArchive(manifest, fingerprints)) return;
  throw new StartupError(
    "The sealing key does not match this archive: no credentials of monitors or channels in it could be decrypted. " +
      "Set SONDE_SECRET_KEY to the key of the installation that was backed up.",
  );
}
