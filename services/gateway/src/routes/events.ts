import { AppError } from "@sonde/kit/errors";
import { beginStream, streamHeaders } from "../events/begin-stream.ts";
import { rawRoute } from "../route.ts";

export const eventRoutes = [
  rawRoute("GET /api/events", "session", {
    summary: "Server-sent events `monitor`, `agent`, `incident`, `delivery` and `reset`; resumes from Last-Event-ID",
    description: ({ maxStreamsPerUser }) =>
      `A user can have at most ${maxStreamsPerUser} streams at once. Another one ends the oldest, whose \`retry\` is set to 10 minutes, or is rejected if the oldest is less than a minute old.`,
    media: "text/event-stream",
    handle: ({ ctx, hub, sessions, session }) => {
      // The session may have ended, and been announced as ended, after auth responded.
      if (sessions.hasEnded(session.hash)) throw new AppError("unauthenticated", "Please log in");
      ctx.compress = false;
      if (ctx.method === "HEAD") {
        ctx.set(streamHeaders);
        ctx.status = 200;
        return;
      }
      const lastEventId = ctx.get("Last-Event-ID") || undefined;
      hub.add({ sink: ctx.res, session, address: ctx.state.address, lastEventId }, () => beginStream(ctx));
    },
  }),
];
