import { Duplex, Readable } from "node:stream";
import koaCompress from "koa-compress";
import type { Context, Next } from "../context.ts";

export const worthCompressingBytes = 1024;
/** Answers are compressed once for each who asks: this takes half of what the customary 6 does, for a seventh more bytes. */
const gzipLevel = 4;
const done = () => Promise.resolve();

/** Compresses what is worth it. Most answers are small, and are spared the weighing of encodings. */
export function compress() {
  const squeeze = koaCompress({ threshold: worthCompressingBytes, gzip: { level: gzipLevel } });
  return async (ctx: Context, next: Next) => {
    await next();
    if (ctx.compress === false || ctx.headerSent) return;
    if (typeof ctx.body === "string" && ctx.body.length < worthCompressingBytes) return;
    const source: unknown = ctx.body;
    await squeeze(ctx, done);
    // A pipe hands on no error: without this the client would wait for the rest of a stream that broke off.
    const squeezed: unknown = ctx.body;
    if (source instanceof Readable && squeezed instanceof Duplex) {
      source.once("error", (error) => squeezed.destroy(error));
    }
  };
}
