import { AppError } from "@sonde/kit/errors";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";

export const downloadsPrefix = "/downloads/";

/** One plain name, without a folder before it or a dot at its start. */
const plainName = /^[A-Za-z0-9][\w.-]{0,99}$/;

/** Serves the agent's archives and their checksums from a folder; any other path is 404. */
export function serveDownloads(folder: string) {
  return async (ctx: Context) => {
    ctx.state.route = "downloads";
    ctx.compress = false;
    if (ctx.method !== "GET" && ctx.method !== "HEAD") {
      ctx.set("Allow", "GET, HEAD, OPTIONS");
      if (ctx.method === "OPTIONS") return void (ctx.status = 204);
      throw new AppError("method_not_allowed", "This method is not allowed here");
    }
    const name = ctx.path.slice(downloadsPrefix.length);
    const path = join(folder, name);
    const file = plainName.test(name) ? await lstat(path).catch(() => null) : null;
    if (file === null || !file.isFile()) throw new AppError("not_found", "There is nothing at this address");
    ctx.status = 200;
    ctx.set("Cache-Control", "no-cache");
    ctx.set("ETag", `"${file.size.toString(36)}-${Math.round(file.mtimeMs).toString(36)}"`);
    if (ctx.fresh) return void (ctx.status = 304);
    ctx.set("Content-Type", name === "SHA256SUMS" ? "text/plain; charset=utf-8" : "application/octet-stream");
    ctx.set("Content-Length", String(file.size));
    if (ctx.method === "GET") ctx.body = createReadStream(path);
  };
}
