import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { newestOf } from "./open.ts";

/** A local file, because an archive is read twice. */
export type LocalArchive = { file: string; remove(): Promise<void> };

/**
 * Accepts a file, a folder (its newest archive), an object in a bucket, or a prefix (its newest archive). Archives in a
 * bucket are downloaded into `folder`, which is created.
 * @throws StartupError if there is no archive
 */
export async function fetchArchive(from: string, folder: string): Promise<LocalArchive> {
  if (!from.startsWith("s3://")) {
    const path = resolve(from);
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    const file = isFolder ? join(path, await newestOf({ list: () => readdir(path) }, path)) : path;
    return { file, remove: async () => {} };
  }
  const { openBackupBucket: openBucket } = await import("./bucket.ts");
  const bucket = openBucket(from);
  const key = bucket.isFolder ? `${bucket.key}${await newestOf(bucket, from)}` : bucket.key;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, "archive.tar");
  try {
    await pipeline(await bucket.read(key), createWriteStream(file, { mode: 0o600 }));
  } catch (fault) {
    await remove();
    throw fault;
  }
  return { file, remove };
}
