import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { contentTypes } from "./content-types.ts";
import { type EncodedForms, stored } from "./encoded.ts";

export type SiteFile = {
  contentType: string;
  etag: string;
  cacheControl: string;
  bytes: Buffer;
  encoded: EncodedForms;
};

/** The built web app in memory, by URL path. Files outside the map cannot be requested, however the path is spelt. */
export type Site = ReadonlyMap<string, SiteFile>;

/** The build wrote a hash of the content into its name: it never changes. */
const hashedName = /^\/assets\/.*-[\w-]{8,}\.\w+$/;
/** Documents of the public page link these with the version of Sonde, so another version requests them again. */
const publicPageFile = /^\/assets\/status\.\w+$/;

function cacheControlOf(urlPath: string): string {
  if (hashedName.test(urlPath)) return "public, max-age=31536000, immutable";
  return publicPageFile.test(urlPath) ? "public, max-age=3600, stale-while-revalidate=604800" : "no-cache";
}

/** Reads a built web app, with the compressed forms that its build wrote beside the files; empty if there is none. */
export async function loadSite(folder: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = new Set(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  const served = [...paths].filter((path) => contentTypes[extname(path)] !== undefined);
  const readIfThere = async (path: string) => (paths.has(path) ? await readFile(path) : null);
  const read = served.map(async (path) => {
    const urlPath = `/${relative(folder, path).split(sep).join("/")}`;
    const [bytes, br, gzip] = await Promise.all([readFile(path), readIfThere(`${path}.br`), readIfThere(`${path}.gz`)]);
    return [urlPath, siteFile(urlPath, bytes, stored({ br, gzip }))] as const;
  });
  return new Map(await Promise.all(read));
}

function siteFile(urlPath: string, bytes: Buffer, encoded: EncodedForms): SiteFile {
  return {
    contentType: contentTypes[extname(urlPath)] ?? "application/octet-stream",
    etag: hash("sha256", bytes, "base64url").slice(0, 22),
    cacheControl: cacheControlOf(urlPath),
    bytes,
    encoded,
  };
}
