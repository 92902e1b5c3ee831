import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "../context.ts";
import { setCommonHeaders } from "../middleware/security-headers.ts";
import type { Sink } from "./broadcast.ts";

export const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Proxies that buffer would hold events back.
  "X-Accel-Buffering": "no",
};

/** Hands an answer over to a hub, which writes to it until the connection closes. */
export function beginStream(ctx: Context): void {
  ctx.set(streamHeaders);
  setCommonHeaders(ctx);
  ctx.status = 200;
  ctx.respond = false;
  ctx.state.isStream = true;
  // Bytes go out as the hub wrote them, until the connection closes: chunks would be framed for each reader.
  ctx.res.useChunkedEncodingByDefault = false;
  ctx.res.flushHeaders();
}

/**
 * What the frames of a stream are written to: the socket itself, once it sends this answer, which takes less CPU for each
 * reader than writing through the answer. An answer that waits behind another one on the same connection has no socket
 * yet.
 */
export function sinkOf(res: ServerResponse): Sink {
  let own: Socket | null = null;
  const writable = () => {
    // While the answer holds bytes back, more of them wait in it than in its socket.
    if (own === null && res.socket !== null && res.writableLength <= res.socket.writableLength) own = res.socket;
    return own ?? res;
  };
  return {
    write: (bytes) => writable().write(bytes),
    end: () => void res.end(),
    destroy: () => void res.destroy(),
    once: (event, run) => (event === "drain" ? writable() : res).once(event, run),
    get closed() {
      return res.closed || res.destroyed;
    },
    get writableLength() {
      return writable().writableLength;
    },
  };
}
