import type { Context } from "../context.ts";

export const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Buffering proxies would delay events.
  "X-Accel-Buffering": "no",
};

export function beginStream(ctx: Context): void {
  ctx.set(streamHeaders);
  ctx.status = 200;
  ctx.respond = false;
  ctx.state.isStream = true;
  // Send the hub's bytes unchanged: chunked encoding would frame them for each reader.
  ctx.res.useChunkedEncodingByDefault = false;
  ctx.res.flushHeaders();
}
