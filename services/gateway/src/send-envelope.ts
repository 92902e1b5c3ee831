import { languageHeaders } from "@sonde/kit/http/answer";
import type { Language } from "@sonde/proto/http/messages";
import type { Readable } from "node:stream";
import type { Context } from "./context.ts";
import { worthCompressingBytes } from "./middleware/compress.ts";
import { pairsOf } from "./middleware/security-headers.ts";

const headersIn = (language: Language) =>
  Object.entries({ ...languageHeaders(language), "Content-Type": "application/json; charset=utf-8" }).flat();
const headers: Record<Language, string[]> = { "zh-CN": headersIn("zh-CN"), "en-US": headersIn("en-US") };

/**
 * Answers with an envelope of JSON. A small text is sent here, head and body in one piece: setting headers one by one
 * costs more than everything else that Koa does for a request. A larger one, and a stream, go back through the onion,
 * which compresses a text; compressing a stream's megabytes would take a core from others for seconds.
 */
export function sendEnvelope(ctx: Context, status: number, body: string | Readable): void {
  const { requestId, language, commonHeaders } = ctx.state;
  const own = headers[language];
  if (typeof body === "string" && body.length < worthCompressingBytes) {
    const length = String(Buffer.byteLength(body));
    const all = ["X-Request-Id", requestId, ...commonHeaders, ...own, "Content-Length", length];
    ctx.respond = false;
    ctx.res.writeHead(status, all);
    ctx.res.end(body);
    return;
  }
  ctx.status = status;
  for (const [name, value] of pairsOf(own)) ctx.res.setHeader(name, value);
  if (typeof body !== "string") ctx.compress = false;
  ctx.body = body;
}
