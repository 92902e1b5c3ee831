import type { CheckedArchive, Restored } from "./restore.ts";

const number = (value: number) => value.toLocaleString("en");

export function describeBackup(place: string, hasKey: boolean): string {
  const key = hasKey
    ? "The archive contains the sealing key: protect it like a password."
    : "The archive does not contain the sealing key, which a restore requires: store the file `secret-key` of the data directory, or SONDE_SECRET_KEY, separately.";
  return `Backed up to ${place}\n${key}\n`;
}

/** Printed after a restore that wrote the sealing key to a file. */
export const describeKey = (file: string): string =>
  `The sealing key is now in ${file}. If you always start Sonde with SONDE_SECRET_KEY, delete that file.\n`;

/** Printed after a restore into a data directory with another key. */
export const describeOtherKey = (dataDir: string): string =>
  `Start it with the same SONDE_SECRET_KEY as this restore: ${dataDir}/secret-key contains a different key.\n`;

export const describeRestore = ({ manifest }: CheckedArchive, { rows, historyRows }: Restored): string =>
  `Restored the archive of ${manifest.startedAt}, written by Sonde ${manifest.version} (${manifest.shape}).\n` +
  `Verified: ${number(rows)} PostgreSQL rows and ${number(historyRows)} history rows, matching the backup.\n`;
