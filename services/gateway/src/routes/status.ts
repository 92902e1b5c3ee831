import {
  statusConfigAnswer,
  statusConfigInput,
  statusPreviewAnswer,
  statusPreviewInput,
} from "@sonde/proto/http/status/config";
import { documentNames } from "@sonde/proto/http/status/documents";
import { pageLanguages } from "@sonde/proto/http/status/languages";
import { imageAnswer, imageId, imageInput } from "@sonde/proto/http/status/images";
import { badgeKinds, publicStatusAnswer } from "@sonde/proto/http/status/status";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import * as z from "zod";
import { withBase } from "../middleware/base-path.ts";
import { limitTexts } from "../middleware/limits.ts";
import { rawRoute, route } from "../route.ts";
import { imagePolicy } from "../status/headers.ts";
import { languagesOf, openEvents, pageLanguage, readDefaultPage, sendData } from "../status/serve.ts";

const missing = "Nothing exists at this address";
const languageQuery = z.strictObject({
  lang: z
    .enum(pageLanguages)
    .optional()
    .meta({ description: "Defaults to the page's best match for Accept-Language, or its first language." }),
});
const badgeQuery = languageQuery.extend({ kind: z.enum(badgeKinds).default("status") });
const fromMemory =
  "Served from memory with an ETag, even while all other services are down: `updatedAt` and `outdated` show its age.";

const publicPageUrl = (publicUrl: string | null): string => `${publicUrl ?? ""}/status`;

const partial = "Absent fields stay unchanged; absent groups are adjusted to the services shown.";
/** Long, because status-page queries monitors, agents and metrics for anything not yet on the page. */
const previewMs = 8000;
const maxPreviewBytes = 16 * 2 ** 20;

export const statusRoutes = [
  rawRoute("GET /api/status", "anyone", {
    summary: "Get the public page's data",
    description: fromMemory,
    media: publicStatusAnswer,
    handle: ({ ctx, ...deps }) =>
      sendData(ctx, deps, readDefaultPage(ctx, deps), { kind: "json", name: documentNames.json, language: null }),
  }),
  rawRoute("GET /api/status/feed.atom", "anyone", {
    summary: "Incidents and maintenance of the public page as an Atom feed",
    description: "Links are absolute if PUBLIC_URL is set.",
    query: languageQuery,
    media: "application/atom+xml",
    handle: ({ ctx, ...deps }) => {
      const page = readDefaultPage(ctx, deps);
      const language = pageLanguage(ctx, languagesOf(page));
      return sendData(ctx, deps, page, { kind: "feed", name: documentNames.of("feed", language), language });
    },
  }),
  rawRoute("GET /api/status/badges/:id.svg", "anyone", {
    summary: "Badge of an API service on the public page",
    description:
      "`status`: name and state; `uptime`: percent over 90 days; `response`: average response time, if the page shows response times.",
    params: { id: missing },
    query: badgeQuery,
    media: "image/svg+xml",
    handle: ({ ctx, params: { id }, query, ...deps }) => {
      const page = readDefaultPage(ctx, deps);
      const language = pageLanguage(ctx, languagesOf(page));
      return sendData(ctx, deps, page, {
        kind: "badge",
        name: documentNames.badge(query.kind, id, language),
        language,
      });
    },
  }),
  rawRoute("GET /api/status/events", "anyone", {
    summary: "Server-sent events of the public page: `monitor`, `agent`, `status` and `changed`",
    description: ({ maxPublicStreamsPerAddress }) =>
      `The stream starts with the current \`status\`. After \`changed\`, fetch the page again. One address can have at most ${maxPublicStreamsPerAddress} streams at once (an IPv6 /64 counts as one address), otherwise 429.`,
    refusals: ["too_many"],
    media: "text/event-stream",
    handle: ({ ctx, ...deps }) => openEvents(ctx, deps, readDefaultPage(ctx, deps)),
  }),
  route("GET /api/status/config", "session", {
    summary: "Get the public page's configuration",
    answer: statusConfigAnswer,
    handle: async ({ services, config: { publicUrl }, ask }) => {
      const { config, managed } = await services.statusPage.getConfig({}, ask);
      return { config, managed, publicUrl: publicPageUrl(publicUrl) };
    },
  }),
  route("PUT /api/status/config", "write", {
    summary: "Configure the public page",
    description: `${partial} Monitors and agents deleted since the last save are dropped.`,
    body: statusConfigInput,
    answer: statusConfigAnswer,
    message: "Status page configuration saved",
    handle: async ({ services, config: { publicUrl }, body, ask }) => {
      const { config, managed } = await services.statusPage.updateConfig(body, ask);
      return { config, managed, publicUrl: publicPageUrl(publicUrl) };
    },
  }),
  route("POST /api/status/images", "write", {
    summary: "Upload a logo or an icon for a page",
    description:
      "Then set `logo` or `favicon` of a page to its id. Sonde deletes images that no page uses after a day.",
    body: imageInput,
    refusals: ["impossible"],
    status: 201,
    answer: imageAnswer,
    handle: ({ services, body, ask }) => services.statusPage.storeImage(body, ask),
  }),
  rawRoute("GET /api/status/images/:id", "anyone", {
    summary: "Get an uploaded image, also before a page uses it",
    description: `Its random id is known only to those who may see or change the page. ${limitTexts.link}`,
    params: { id: { missing, schema: imageId } },
    refusals: ["too_many"],
    media: "image/*",
    handle: async ({ ctx, services, linkReads, params: { id }, ask }) => {
      await linkReads(ctx.state.address);
      const { type, data } = await services.statusPage.getImage({ id }, ask);
      ctx.set({ ...imagePolicy, "Cache-Control": "private, max-age=86400" });
      ctx.type = type;
      ctx.body = Buffer.from(data, "base64");
    },
  }),
  route("POST /api/status/config/preview", "write", {
    summary: "Preview the public page with a changed configuration; nothing is saved",
    description: `${partial} Only the first 100 services have bars.`,
    body: statusPreviewInput,
    answer: statusPreviewAnswer,
    handle: async ({ services, body, ctx, ask }) => {
      const request = { ...body, language: ctx.state.language };
      const { html } = await services.statusPage.previewPage(request, { ...ask, timeoutMs: previewMs });
      const bytes = await promisify(gunzip)(Buffer.from(html, "base64"), { maxOutputLength: maxPreviewBytes });
      return { html: withBase(bytes.toString(), ctx.state.base) };
    },
  }),
];
