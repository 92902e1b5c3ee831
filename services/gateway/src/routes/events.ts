import { AppError } from "@sonde/kit/errors";
import { rawRoute } from "../route.ts";

const headers = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  // Proxies that buffer would hold events back.
  "X-Accel-Buffering": "no",
};

export const eventRoutes = [
  rawRoute({
    method: "GET",
    path: "/api/events",
    who: "session",
    summary: "Server-sent events `monitor`, `incident` and `reset`; resumes from Last-Event-ID",
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
      const { res: sink } = ctx;
      const lastEventId = ctx.get("Last-Event-ID") || undefined;
      hub.add({ sink, sessionHash: session.hash, expiresAtMs: session.expiresAtMs, lastEventId }, () => {
        ctx.set(headers);
        ctx.status = 200;
        ctx.respond = false;
        // Bytes go out as the hub wrote them, until the connection closes: chunks would be framed for each reader.
        sink.useChunkedEncodingByDefault = false;
        sink.flushHeaders();
      });
    },
  }),
];
