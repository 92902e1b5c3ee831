import { StartupError } from "@sonde/kit/service/startup-error";
import { createWriteStream } from "node:fs";
import { link, mkdir, open, readdir, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { finished } from "node:stream/promises";
import type { ArchiveDestination, ArchiveList } from "./destination.ts";

/** File name of an archive in a folder. Names sort by time. */
export const archiveName = (at: Date): string =>
  `sonde-${at
    .toISOString()
    .replaceAll(":", "-")
    .replace(/\.\d+Z$/, "Z")}.tar`;
export const isArchiveName = (name: string): boolean => /^sonde-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.tar$/.test(name);

export type DestinationOptions = {
  /** Number of archives to keep in a folder or under a prefix; 0 keeps all. */
  keep?: number;
  now?: Date;
};

/**
 * Opens `-` (standard output), a new file, a folder, `s3://bucket/key.tar`, or `s3://bucket/prefix/`. In a folder or
 * under a prefix, archives are named by time.
 * @throws StartupError if it cannot be used
 */
export async function openDestination(
  to: string,
  { keep = 0, now = new Date() }: DestinationOptions = {},
): Promise<ArchiveDestination> {
  if (to === "-") {
    return { name: "standard output", stream: process.stdout, finish: async () => {}, abort: async () => {} };
  }
  if (to.startsWith("s3://")) {
    const { openBackupBucket: openBucket } = await import("./bucket.ts");
    const bucket = openBucket(to);
    if (!bucket.isFolder) return bucket.write(bucket.key);
    const written = bucket.write(`${bucket.key}${archiveName(now)}`);
    return withPruning(written, keep, bucket);
  }
  const path = resolve(to);
  const isFolder =
    to.endsWith("/") ||
    (await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  if (!isFolder) return openFile(path);
  await mkdir(path, { recursive: true });
  return withPruning(await openFile(join(path, archiveName(now))), keep, {
    list: () => readdir(path),
    remove: (name) => rm(join(path, name)),
  });
}

/** @throws StartupError if there is no archive */
export async function newestOf({ list }: Pick<ArchiveList, "list">, place: string): Promise<string> {
  const newest = (await list()).filter(isArchiveName).toSorted().at(-1);
  if (newest === undefined) throw new StartupError(`There is no archive in ${place}.`);
  return newest;
}

function withPruning(destination: ArchiveDestination, keep: number, { list, remove }: ArchiveList): ArchiveDestination {
  if (keep === 0) return destination;
  return {
    ...destination,
    async finish() {
      await destination.finish();
      const old = (await list()).filter(isArchiveName).toSorted().slice(0, -keep);
      for (const name of old) await remove(name);
    },
  };
}

async function openFile(path: string): Promise<ArchiveDestination> {
  const exists = new StartupError(`${path} already exists. Specify another file, or a folder.`);
  if (
    await stat(path).then(
      () => true,
      () => false,
    )
  )
    throw exists;
  const draft = join(dirname(path), `.${basename(path)}.partial`);
  await rm(draft, { force: true }); // Left by a killed backup.
  // Readable only by the owner: it contains password hashes and user data.
  const stream = createWriteStream(draft, { mode: 0o600, flags: "wx", flush: true });
  return {
    name: path,
    stream,
    async finish() {
      // Unlike `rename`, this never replaces an existing file.
      await link(draft, path).catch((fault: NodeJS.ErrnoException) => {
        throw fault.code === "EEXIST" ? exists : fault;
      });
      await unlink(draft);
      const folder = await open(dirname(path));
      await folder.sync().finally(() => folder.close());
    },
    async abort() {
      stream.destroy();
      // A pending write fails, which would end the process without a listener.
      await finished(stream).catch(() => {});
      await rm(draft, { force: true });
    },
  };
}
