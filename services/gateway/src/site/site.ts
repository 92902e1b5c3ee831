import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { contentTypes, isCompressible } from "./content-types.ts";
import { type Encoded, encodedOnce } from "./encoded.ts";

export type SiteFile = {
  contentType: string;
  etag: string;
  /** The build wrote a hash of the content into its name: it never changes. */
  immutable: boolean;
  bytes: Buffer;
  encoded: Encoded;
};

/** The built web app in memory, by URL path. What is not in the map cannot be asked for, however it is spelt. */
export type Site = ReadonlyMap<string, SiteFile>;

/** Made once in the life of a process. */
const levels = { br: 9, gzip: 9 };
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
  return {
    contentType,
    etag: hash("sha256", bytes, "base64url").slice(0, 22),
    immutable: hashedName.test(urlPath),
    bytes,
    encoded: encodedOnce(bytes, levels, isCompressible(contentType)),
  };
}
