import { StartupError } from "@sonde/kit/service/startup-error";
import { deriveKeys, isKeyList } from "@sonde/kit/secret-keys";
import type { Manifest } from "./archive/manifest.ts";
import { sha256 } from "./archive/write.ts";

/** What recognizes keys: of each of `SONDE_KEY_BACKUP` a hash. */
export const fingerprintsOf = (backupKeys: string): string[] =>
  backupKeys.split(",").map((key) => sha256(Buffer.from(key.trim(), "base64")).slice(0, 32));

/** The same of `SONDE_SECRET_KEY`. */
export const fingerprintsOfMaster = (masters: string): string[] => fingerprintsOf(deriveKeys(masters).SONDE_KEY_BACKUP);

/** Whether the keys of these fingerprints open all that is sealed in an archive. */
export const opensArchive = ({ keyFingerprints: needed }: Manifest, known: readonly string[]): boolean =>
  needed.every((fingerprint) => known.includes(fingerprint));

/** The keys that a restore was given. */
export type GivenKeys = {
  /** `SONDE_SECRET_KEY`, or the content of the file in the data directory. */
  master?: string | undefined;
  /** `SONDE_KEY_BACKUP`, where there is no master. */
  backup?: string | undefined;
};

/**
 * Compares the keys that there are with those that the archive's secrets are sealed with.
 * @param inArchive the archive's own key, as it is used where none is given
 * @throws StartupError where no key is there, or another one
 */
export function checkKey(manifest: Manifest, given: GivenKeys, inArchive: string | undefined): void {
  if (inArchive !== undefined && !isKeyList(inArchive)) throw new StartupError("The archive contains an invalid key.");
  const own = given.master === undefined ? given.backup : deriveKeys(given.master).SONDE_KEY_BACKUP;
  const known =
    own !== undefined ? fingerprintsOf(own) : inArchive === undefined ? [] : fingerprintsOfMaster(inArchive);
  if (known.length === 0) {
    throw new StartupError(
      "The sealing key is missing: without it, no credentials of monitors or channels in this archive can be decrypted. " +
        "Set SONDE_SECRET_KEY to the key of the installation that was backed up (its file `secret-key`), or restore an archive " +
        "that was created with --with-key.",
    );
  }
  if (opensArchive(manifest, known)) return;
  throw new StartupError(
    "The sealing key does not match this archive: no credentials of monitors or channels in it could be decrypted. " +
      "Set SONDE_SECRET_KEY to the key of the installation that was backed up.",
  );
}
