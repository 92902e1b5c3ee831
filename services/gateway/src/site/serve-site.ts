import { AppError } from "@sonde/kit/errors";
import type { Context } from "../context.ts";
import { sendEncoded } from "./send.ts";
import type { Site } from "./site.ts";

/** First path segments that are not pages of the web app. */
const notPages = new Set(["api", "agent", "downloads", "assets", "healthz", "readyz", "metrics"]);

/**
 * Serves the built web app. A path that is no file is a page of the app, and gets index.html, if it looks like one and
 * the client takes HTML; everything else is 404.
 */
export function serveSite(site: Site) {
  return async (ctx: Context) => {
    ctx.state.route = "site";
    ctx.compress = false;
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.set("Allow", "GET, HEAD, OPTIONS");
      if (ctx.method === "OPTIONS") return void (ctx.status = 204);
      throw new AppError("method_not_allowed", "This method is not allowed here");
    }
    // What the build wrote for the gateway alone.
    if (ctx.path.startsWith("/.")) throw new AppError("not_found", "There is nothing at this address");
    const file = site.get(ctx.path) ?? (isPage(ctx.path) && ctx.accepts("html") ? site.get("/index.html") : undefined);
    if (file === undefined) throw new AppError("not_found", "There is nothing at this address");
    ctx.set("Cache-Control", file.cacheControl);
    await sendEncoded(ctx, file);
  };
}

/** Whether a path can be one of the app's: plain segments, none with a dot, none of them another's. */
function isPage(path: string): boolean {
  if (!/^\/(?:[\w-]+(?:\/[\w-]+)*\/?)?$/.test(path)) return false;
  return !notPages.has(path.split("/")[1]!.toLowerCase());
}
