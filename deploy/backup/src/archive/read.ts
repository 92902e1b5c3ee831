import { StartupError } from "@sonde/kit/service/startup-error";
import { createReadStream } from "node:fs";
import { extract as openExtract } from "tar-stream";
import {
  formatVersion,
  keyName,
  type Manifest,
  manifestName,
  manifestSchema,
  maxManifestBytes,
  type Part,
  sliceBytes,
  sliceName,
} from "./manifest.ts";
import { sha256 } from "./write.ts";

type Member = { name: string; bytes: Buffer };
/** The body must be consumed before the next part is requested. */
export type ReadPart = Part & { body: AsyncIterable<Buffer> };

/** @throws StartupError if the file is not an archive, is truncated or changed, or was written by a newer version */
export async function verifyArchive(file: string): Promise<{ manifest: Manifest; key: string | undefined }> {
  const actual: { name: string; bytes: number; sha256: string }[] = [];
  let key: string | undefined;
  let manifest: Manifest | undefined;
  for await (const { name, bytes } of members(file)) {
    if (manifest !== undefined) throw damaged(file);
    if (name === manifestName) manifest = parseManifest(file, bytes);
    else if (name === keyName && actual.length === 0 && key === undefined) key = bytes.toString();
    else actual.push({ name, bytes: bytes.length, sha256: sha256(bytes) });
  }
  if (manifest === undefined) throw notWhole(file);
  const expected = manifest.parts.flatMap((part) =>
    part.slices.map((slice, index) => ({ name: sliceName(part.name, index), ...slice })),
  );
  const fits = expected.length === actual.length && expected.every((one, index) => isSame(one, actual[index]!));
  const keySha256 = key === undefined ? undefined : sha256(Buffer.from(key));
  if (!fits || keySha256 !== manifest.keySha256) throw damaged(file);
  return { manifest, key };
}

const isSame = (a: { name: string; bytes: number; sha256: string }, b: typeof a) =>
  a.name === b.name && a.bytes === b.bytes && a.sha256 === b.sha256;

export async function* readParts(file: string, { parts }: Manifest): AsyncGenerator<ReadPart> {
  const all = members(file);
  async function* slicesOf(part: Part): AsyncGenerator<Buffer> {
    for (const [index, slice] of part.slices.entries()) {
      let next = await all.next();
      if (next.value?.name === keyName) next = await all.next();
      // The file may have been replaced since it was verified.
      if (next.done === true || next.value.name !== sliceName(part.name, index)) throw damaged(file);
      if (sha256(next.value.bytes) !== slice.sha256) throw damaged(file);
      yield next.value.bytes;
    }
  }
  try {
    for (const part of parts) yield { ...part, body: slicesOf(part) };
  } finally {
    await all.return(undefined);
  }
}

/** @throws StartupError for a member larger than Sonde writes */
async function* members(file: string): AsyncGenerator<Member, undefined> {
  const extract = openExtract();
  const source = createReadStream(file, { highWaterMark: 2 ** 20 });
  source.once("error", (fault) => extract.destroy(fault));
  source.pipe(extract);
  try {
    for await (const entry of extract) {
      const { name, size, type } = entry.header;
      if (type !== "file" || size > (name === manifestName ? maxManifestBytes : sliceBytes)) throw damaged(file);
      const chunks: Buffer[] = [];
      for await (const chunk of entry) chunks.push(chunk as Buffer);
      yield { name, bytes: Buffer.concat(chunks) };
    }
  } catch (fault) {
    if (fault instanceof StartupError) throw fault;
    const { code } = fault as NodeJS.ErrnoException;
    if (code === "ENOENT") throw new StartupError(`The archive ${file} does not exist.`, { cause: fault });
    if (code === "EISDIR") throw new StartupError(`${file} is a folder, not an archive.`, { cause: fault });
    if (code === "EACCES" || code === "EPERM") throw fault;
    throw notWhole(file, fault); // tar-stream found an invalid header or an early end.
  } finally {
    source.destroy();
  }
  return undefined;
}

function parseManifest(file: string, bytes: Buffer): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch (cause) {
    throw damaged(file, cause);
  }
  const { format, version } = (json ?? {}) as { format?: unknown; version?: unknown };
  if (typeof format === "number" && format > formatVersion) throw newer(file, String(version));
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw damaged(file, parsed.error);
  return parsed.data;
}

const damaged = (file: string, cause?: unknown) =>
  new StartupError(`${file} is damaged: its content differs from what was backed up. Nothing was restored.`, { cause });
const notWhole = (file: string, cause?: unknown) =>
  new StartupError(
    `${file} is not a complete Sonde archive: it is truncated or another kind of file. Nothing was restored.`,
    {
      cause,
    },
  );
export const newer = (file: string, version: string): StartupError =>
  new StartupError(
    `${file} was written by Sonde ${version}, which is newer than this one. Restore it with that version or a later one.`,
  );
