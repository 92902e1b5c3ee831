import { AppError } from "@sonde/kit/errors";
import { hash } from "node:crypto";
import type { Context } from "../context.ts";
import { allowMethods } from "../middleware/errors.ts";
import { documentPolicy } from "../middleware/security-headers.ts";
import { docsWithBase } from "../middleware/base-path.ts";
import { sendPlainBytes, rebased } from "./bytes.ts";
import { forever, type Site } from "./site.ts";

export const docsPath = "/docs";
export const isDocs = (path: string) => path === docsPath || path.startsWith(`${docsPath}/`);

/** Documents have two inline scripts that set the theme before the first paint, and icons from data URLs. */
function policyFor(document: string): string {
  const scripts = document.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g);
  const hashes = new Set([...scripts].map(([, script = ""]) => `'sha256-${hash("sha256", script, "base64")}'`));
  return documentPolicy
    .replace("script-src 'self'", ["script-src 'self'", ...hashes].join(" "))
    .replace("img-src 'self'", "img-src 'self' data:");
}

/** `/docs/agents` is the file `agents.html`. */
export function serveDocs(files: Site, isHttps: boolean) {
  return async (ctx: Context) => {
    ctx.state.route = "docs";
    if (!allowMethods(ctx, ["GET", "HEAD"])) return;
    if (files.size === 0) throw new AppError("not_found", "The documentation is not included in this build");
    const path = ctx.path.slice(docsPath.length);
    const isFolder = files.has(`${path}/index.html`);
    if (isFolder) return redirect(ctx, `${ctx.path}/`);
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const file = files.get(name) ?? files.get(`${name}.html`);
    const found = file ?? (ctx.accepts("html") ? files.get("/404.html") : undefined);
    if (found === undefined) throw new AppError("not_found", "Nothing exists at this address");
    const { base } = ctx.state;
    const whole = await found.open();
    const isText = /^(?:text|application)\//.test(whole.contentType);
    const opened = base !== "" && isText ? await rebased(whole, base, docsWithBase) : whole;
    if (opened.contentType.startsWith("text/html")) {
      const policy = policyFor(String(await opened.read()));
      ctx.set("Content-Security-Policy", policy + (isHttps ? "; upgrade-insecure-requests" : ""));
    }
    ctx.set("Cache-Control", file !== undefined && path.startsWith("/assets/") ? forever : found.cacheControl);
    await sendPlainBytes(ctx, opened, file === undefined ? 404 : 200);
  };
}

/** Absolute, because a relative address would miss a language's own folder. */
function redirect(ctx: Context, to: string): void {
  ctx.set("Cache-Control", "no-cache");
  ctx.redirect(to);
}
