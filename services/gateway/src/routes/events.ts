import { AppError } from "@sonde/kit/errors";
import type { ServerResponse } from "node:http";
import type { Sink } from "../events/hub.ts";
import { rawRoute } from "../route.ts";

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Proxies that buffer would hold events back.
  "X-Accel-Buffering": "no",
};

/**
 * Where the frames of a stream are written: straight to the socket, once it is this answer's alone, since the way
 * through the answer costs a turn of its own for each of a thousand readers. An answer that waits behind another on the
 * same connection has no socket yet.
 */
function sinkOf(res: ServerResponse): Sink {
  const place = () => (res.socket === null || res.writableLength > res.socket.writableLength ? res : res.socket);
  return {
    write: (bytes) => place().write(bytes),
    end: () => void res.end(),
    destroy: () => void res.destroy(),
    once: (event, run) => (event === "drain" ? place() : res).once(event, run),
    get closed() {
      return res.closed || res.destroyed;
    },
    get writableLength() {
      return place().writableLength;
    },
  };
}

export const eventRoutes = [
  rawRoute({
    method: "GET",
    path: "/api/events",
    who: "session",
    summary: "Server-sent events `monitor`, `agent`, `incident`, `delivery` and `reset`; resumes from Last-Event-ID",
    description: ({ maxStreamsPerUser }) =>
      `A user has at most ${maxStreamsPerUser} streams at once; one more ends the oldest, which is told by \`retry\` to come back in ten minutes, or is refused while the oldest is younger than a minute.`,
    media: "text/event-stream",
    handle: ({ ctx, hub, sessions, session }) => {
      // Between the session's answer and here it may have ended, and its end has been told already.
      if (sessions.hasEnded(session.hash)) throw new AppError("unauthenticated", "Please log in");
      ctx.compress = false;
      if (ctx.method === "HEAD") {
        ctx.set(headers);
        ctx.status = 200;
        return;
      }
      const { res } = ctx;
      const lastEventId = ctx.get("Last-Event-ID") || undefined;
      const { userId, hash: sessionHash, expiresAtMs } = session;
      hub.add({ sink: sinkOf(res), userId, sessionHash, expiresAtMs, lastEventId }, () => {
        ctx.set(headers);
        ctx.status = 200;
        ctx.respond = false;
        // Bytes go out as the hub wrote them, until the connection closes: chunks would be framed for each reader.
        res.useChunkedEncodingByDefault = false;
        res.flushHeaders();
      });
    },
  }),
];
