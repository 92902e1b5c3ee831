import type { Context } from "../context.ts";

export const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Proxies that buffer would hold events back.
  "X-Accel-Buffering": "no",
};

/** Hands an answer over to a broadcast, which writes to it until the connection closes. */
export function beginStream(ctx: Context): void {
  ctx.set(streamHeaders);
  ctx.status = 200;
  ctx.respond = false;
  ctx.state.isStream = true;
  // Bytes go out as the hub wrote them, until the connection closes: chunks would be framed for each reader.
  ctx.res.useChunkedEncodingByDefault = false;
  ctx.res.flushHeaders();
}
