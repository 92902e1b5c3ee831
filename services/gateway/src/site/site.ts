import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { contentTypes, isCompressible } from "./content-types.ts";

export const encodings = ["br", "gzip"] as const;
export type Encoding = (typeof encodings)[number];

export type SiteFile = {
  contentType: string;
  etag: string;
  /** The build wrote a hash of the content into its name: it never changes. */
  immutable: boolean;
  bytes: Buffer;
  /** The compressed bytes, made once; null where they would not be smaller. */
  encoded(encoding: Encoding): Promise<Buffer | null>;
};

/** The built web app in memory, by URL path. What is not in the map cannot be asked for, however it is spelt. */
export type Site = ReadonlyMap<string, SiteFile>;

const smallestBytes = 1024;
const hashedName = /^\/assets\/.*-[\w-]{8,}\.\w+$/;

/** Reads a built web app; empty where there is none. */
export async function loadSite(folder: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && contentTypes[extname(entry.name)] !== undefined);
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const urlPath = `/${relative(folder, path).split(sep).join("/")}`;
    return [urlPath, siteFile(urlPath, await readFile(path))] as const;
  });
  return new Map(await Promise.all(read));
}

function siteFile(urlPath: string, bytes: Buffer): SiteFile {
  const contentType = contentTypes[extname(urlPath)] ?? "application/octet-stream";
  const isWorthIt = bytes.length >= smallestBytes && isCompressible(contentType);
  const made = new Map<Encoding, Promise<Buffer | null>>();
  return {
    contentType,
    etag: hash("sha256", bytes, "base64url").slice(0, 22),
    immutable: hashedName.test(urlPath),
    bytes,
    encoded: async (encoding) => {
      if (!isWorthIt) return null;
      const underway = made.get(encoding) ?? compress(bytes, encoding);
      made.set(encoding, underway);
      return underway;
    },
  };
}

async function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer | null> {
  const encoded =
    encoding === "br"
      ? await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
      : await promisify(gzip)(bytes, { level: 9 });
  return encoded.length < bytes.length ? encoded : null;
}
