import { AppError } from "@sonde/kit/errors";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";
import { sendable, type Sendable, sendBytes } from "./bytes.ts";

/** The files that a build of the web app can hold, and no others are served. */
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

/** The built web app in memory, by URL path. Files outside the map cannot be requested, however the path is spelt. */
export type Site = ReadonlyMap<string, Sendable & { cacheControl: string }>;

/** Of what never changes. */
export const forever = "public, max-age=31536000, immutable";
/** The build wrote a hash of the content into its name. */
const hashedName = /^\/assets\/.*-[\w-]{8,}\.\w+$/;
/** Documents of the public page link these with the version of Sonde, so another version requests them again. */
const publicPageFile = /^\/assets\/status\.\w+$/;

function cacheControlOf(urlPath: string): string {
  if (hashedName.test(urlPath)) return forever;
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
    const file = sendable(contentTypes[extname(path)]!, await readFile(path));
    const forms = { br: readIfThere(`${path}.br`), gzip: readIfThere(`${path}.gz`) };
    await Promise.all(Object.values(forms));
    return [urlPath, { ...file, forms, cacheControl: cacheControlOf(urlPath) }] as const;
  });
  return new Map(await Promise.all(read));
}

/** First path segments that are not pages of the web app. */
const notPages = new Set(["api", "agent", "downloads", "assets", "healthz", "readyz", "metrics"]);

/**
 * Serves the built web app. A path that is no file is a page of the app, and gets index.html, if it looks like one and
 * the client takes HTML; everything else is 404.
 */
export function serveSite(site: Site) {
  return async (ctx: Context) => {
    ctx.state.route = "site";
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    // What the build wrote for the gateway alone.
    if (ctx.path.startsWith("/.")) throw new AppError("not_found", "There is nothing at this address");
    const file = site.get(ctx.path) ?? (isPage(ctx.path) && ctx.accepts("html") ? site.get("/index.html") : undefined);
    if (file === undefined) throw new AppError("not_found", "There is nothing at this address");
    ctx.set("Cache-Control", file.cacheControl);
    await sendBytes(ctx, file);
  };
}

/** Whether a path can be one of the app's: plain segments, none with a dot, none of them another's. */
function isPage(path: string): boolean {
  if (!/^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/.test(path)) return false;
  return !notPages.has(path.split("/")[1]!.toLowerCase());
}
