import { badgeKinds, publicStatusAnswer } from "@sonde/proto/http/status/status";
import { documentNames } from "@sonde/proto/http/status/documents";
import { z } from "zod";
import { beginStream, sinkOf, streamHeaders } from "../events/sink.ts";
import { rawRoute } from "../route.ts";
import { sharedHeaders } from "../status/headers.ts";
import { pageLanguage, sendData } from "../status/serve.ts";

const missing = "There is nothing at this address";
const languageQuery = z.strictObject({
  lang: z
    .enum(["zh-CN", "en-US"])
    .optional()
    .meta({ description: "Without it the language that Accept-Language prefers; zh-CN where it names none." }),
});
const badgeQuery = languageQuery.extend({ kind: z.enum(badgeKinds).default("status") });
const fromMemory =
  "Answered from memory with an ETag, also while every other part is down: `updatedAt` and `outdated` say how old it is.";

/** The public page for programs and other sites. None of these asks another service. */
export const statusRoutes = [
  rawRoute({
    method: "GET",
    path: "/api/status",
    who: "anyone",
    summary: "What the public page shows",
    description: fromMemory,
    media: publicStatusAnswer,
    handle: ({ ctx, ...deps }) => sendData(ctx, deps, { kind: "json", name: documentNames.json, language: null }),
  }),
  rawRoute({
    method: "GET",
    path: "/api/status/feed.atom",
    who: "anyone",
    summary: "Incidents and maintenance of the public page as an Atom feed",
    description: "Links are absolute where PUBLIC_URL is set.",
    query: languageQuery,
    media: "application/atom+xml",
    handle: ({ ctx, ...deps }) => {
      const language = pageLanguage(ctx);
      return sendData(ctx, deps, { kind: "feed", name: documentNames.of("feed", language), language });
    },
  }),
  rawRoute({
    method: "GET",
    path: "/api/status/badges/:id.svg",
    who: "anyone",
    summary: "A badge of an API service that the public page shows",
    description:
      "`status`: its name and state; `uptime`: percent over 90 days; `response`: the mean response time, where the page shows response times.",
    params: { id: missing },
    query: badgeQuery,
    media: "image/svg+xml",
    handle: ({ ctx, params: { id }, query, ...deps }) => {
      const language = pageLanguage(ctx);
      return sendData(ctx, deps, { kind: "badge", name: documentNames.badge(query.kind, id, language), language });
    },
  }),
  rawRoute({
    method: "GET",
    path: "/api/status/events",
    who: "anyone",
    summary: "Server-sent events of the public page: `monitor`, `agent`, `status` and `changed`",
    description: ({ maxPublicStreamsPerAddress }) =>
      `It begins with the present \`status\`; after \`changed\` the page is to be fetched anew. One address has at most ${maxPublicStreamsPerAddress} streams at once (an IPv6 network of 64 bits counts as one), else 429.`,
    refusals: ["too_many"],
    media: "text/event-stream",
    handle: ({ ctx, status, config }) => {
      ctx.compress = false;
      ctx.set(sharedHeaders(config));
      if (ctx.method === "HEAD") {
        ctx.set(streamHeaders);
        ctx.status = 200;
        return;
      }
      status.streams.add({ sink: sinkOf(ctx.res), address: ctx.state.address }, () => beginStream(ctx));
    },
  }),
];
