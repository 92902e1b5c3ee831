import { AppError } from "@sonde/kit/errors";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";
import { type Encoding, etagOf, type Sendable, sendBytes } from "./bytes.ts";

/** Only files of these types are served. */
const contentTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".avif": "image/avif",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

export type SiteFile = { cacheControl: string; open(): Promise<Sendable> };

/** By URL path. Read from disk: web app and documentation would take 8 MiB of memory. */
export type Site = ReadonlyMap<string, SiteFile>;

export const forever = "public, max-age=31536000, immutable";
/** The build puts a hash of the content into these names. */
const hashedName = /^\/assets\/.*-[\w-]{8,}\.\w+$/;
/** Documents of public pages link to these with Sonde's version. */
const publicPageFile = /^\/assets\/status\.\w+$/;

function cacheControlOf(urlPath: string): string {
  if (hashedName.test(urlPath)) return forever;
  return publicPageFile.test(urlPath) ? "public, max-age=3600, stale-while-revalidate=604800" : "no-cache";
}

export async function loadSite(folder: string): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = new Set(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  const served = [...paths].filter((path) => contentTypes[extname(path)] !== undefined);
  return new Map(
    served.map((path) => {
      const urlPath = `/${relative(folder, path).split(sep).join("/")}`;
      return [urlPath, { cacheControl: cacheControlOf(urlPath), open: opener(path, paths) }];
    }),
  );
}

/** The build writes compressed forms next to most files. */
function opener(path: string, paths: ReadonlySet<string>): SiteFile["open"] {
  const compressed: Record<Encoding, string> = { br: `${path}.br`, gzip: `${path}.gz` };
  const read: Sendable["read"] = async (encoding) => {
    const form = encoding === undefined ? path : compressed[encoding];
    return paths.has(form) ? await readFile(form).catch(refuseMissing) : null;
  };
  let etag: string | undefined;
  return async () => ({ contentType: contentTypes[extname(path)]!, etag: (etag ??= etagOf((await read())!)), read });
}

/** A later build may have removed the file. */
function refuseMissing(error: NodeJS.ErrnoException): never {
  throw error.code === "ENOENT" ? new AppError("not_found", "Nothing exists at this address") : error;
}

/** The policy of a worker's script decides what the worker may request. */
const workerPath = "/push-worker.js";
const workerPolicy = "default-src 'none'; connect-src 'self'";

const notPages = new Set(["api", "agent", "downloads", "assets", "healthz", "readyz", "metrics"]);

/** Paths that look like pages get index.html if the client accepts HTML; everything else is 404. */
export function serveSite(site: Site) {
  return async (ctx: Context) => {
    ctx.state.route = "site";
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    // Files of the build that only the gateway uses.
    if (ctx.path.startsWith("/.")) throw new AppError("not_found", "Nothing exists at this address");
    const file = site.get(ctx.path) ?? (isPage(ctx.path) && ctx.accepts("html") ? site.get("/index.html") : undefined);
    if (file === undefined) throw new AppError("not_found", "Nothing exists at this address");
    if (ctx.path === workerPath) ctx.set("Content-Security-Policy", workerPolicy);
    ctx.set("Cache-Control", file.cacheControl);
    await sendBytes(ctx, await file.open());
  };
}

function isPage(path: string): boolean {
  if (!/^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/.test(path)) return false;
  return !notPages.has(path.split("/")[1]!.toLowerCase());
}
