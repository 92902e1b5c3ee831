import koaCompress from "koa-compress";
import type { Context, Next } from "../context.ts";

const worthCompressingBytes = 1024;
const done = () => Promise.resolve();

/** Compresses what is worth it. Most answers are small, and are spared the weighing of encodings. */
export function compress() {
  const squeeze = koaCompress({ threshold: worthCompressingBytes });
  return async (ctx: Context, next: Next) => {
    await next();
    if (ctx.compress === false) return;
    if (typeof ctx.body === "string" && ctx.body.length < worthCompressingBytes) return;
    await squeeze(ctx, done);
  };
}
