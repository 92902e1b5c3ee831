import { AppError, unavailable } from "@sonde/kit/errors";
import { documentNames } from "@sonde/proto/http/status/documents";
import { pageSlug } from "@sonde/proto/http/status/slugs";
import type { PublicMonitor, PublicStatus } from "@sonde/proto/http/status/status";
import * as z from "zod";
import type { Context } from "../context.ts";
import type { Deps } from "../deps.ts";
import { rawRoute } from "../route.ts";
import { type Sendable, sendable, sendBytes } from "../site/bytes.ts";
import { isAddressAllowed } from "../status/access.ts";
import { dataHeaders, privateHeaders } from "../status/headers.ts";
import type { StatusDocument, StatusView } from "../status/view.ts";
import type { KumaBadge } from "./badge.ts";
import { kumaHeartbeats, kumaPage } from "./page.ts";

type PageDeps = Pick<Deps, "status" | "config">;
type KumaDocuments = {
  page: Sendable;
  heartbeats: Sendable;
  monitors: ReadonlyMap<number, PublicMonitor>;
  outdated: boolean;
};

const missing = "Nothing exists at this address";
const slug = { missing, schema: pageSlug } as const;
/** Uptime Kuma ignores unknown parameters, and widgets send some against caches. */
const anyQuery = z.looseObject({});
const badgeQuery = z.looseObject({ label: z.string().max(100).optional() });
const fromMemory =
  "For widgets made for Uptime Kuma. Only public pages and the monitors that they show; others are 404.";

/** Converted when first requested, once per version of the page. */
const converted = new WeakMap<StatusDocument, KumaDocuments>();

/** @throws AppError `unavailable` until the page is available */
function documentsOf(view: StatusView): KumaDocuments {
  const json = view.document(documentNames.json);
  if (json === null) throw unavailable("status-page");
  const known = converted.get(json);
  if (known !== undefined) return known;
  const { status } = JSON.parse(json.bytes.toString()) as { status: PublicStatus };
  const write = (content: object) => sendable("application/json; charset=utf-8", JSON.stringify(content));
  const made = {
    page: write(kumaPage(view.access()!.slug, status)),
    heartbeats: write(kumaHeartbeats(status)),
    monitors: new Map(status.monitors.map((monitor) => [monitor.id, monitor])),
    outdated: status.outdated,
  };
  converted.set(json, made);
  return made;
}

/** True for public pages, within their networks. Cookies do not count: a widget shows to everyone what it reads. */
function isPublic(ctx: Context, view: StatusView): boolean {
  const access = view.access();
  return access !== null && access.mode === "public" && isAddressAllowed(access, ctx.state.address);
}

/** @throws AppError `not_found` for private and missing pages */
function publicPage(ctx: Context, { status }: PageDeps, name: string): StatusView {
  const view = status.pages.page(name);
  if (view === null || !isPublic(ctx, view)) throw new AppError("not_found", missing);
  return view;
}

async function send(ctx: Context, { config }: PageDeps, view: StatusView, content: Sendable): Promise<void> {
  const summary = view.published()?.summary;
  if (summary === undefined) throw unavailable("status-page");
  ctx.set(view.access()!.isPrivate ? privateHeaders : dataHeaders(summary, config));
  await sendBytes(ctx, content);
}

/** @throws AppError `not_found` unless a public page shows the monitor */
async function sendBadge(ctx: Context, deps: PageDeps, id: number, badge: KumaBadge): Promise<void> {
  const view = deps.status.pages
    .all()
    .find((page) => isPublic(ctx, page) && page.published()?.summary.monitors.includes(id) === true);
  const { monitors, outdated } = view === undefined ? { monitors: null, outdated: false } : documentsOf(view);
  const monitor = monitors?.get(id);
  // Loaded only for badges, since letter widths take 5 MiB of memory.
  const { makeKumaBadge } = await import("./badge.ts");
  const svg = monitor === undefined ? null : makeKumaBadge(monitor, outdated, badge);
  if (svg === null) throw new AppError("not_found", missing);
  await send(ctx, deps, view!, sendable("image/svg+xml; charset=utf-8", svg));
}

const duration = { missing, schema: z.string().regex(/^\d{1,4}[hd]?$/) } as const;
const badgeText = "An SVG badge of a monitor on a public page, with Uptime Kuma's English words";

export const kumaRoutes = [
  rawRoute("GET /api/status-page/:slug", "anyone", {
    summary: "Get a public page in Uptime Kuma's format",
    description: fromMemory,
    params: { slug },
    query: anyQuery,
    media: "application/json",
    handle: ({ ctx, params, ...deps }) => {
      const view = publicPage(ctx, deps, params.slug);
      return send(ctx, deps, view, documentsOf(view).page);
    },
  }),
  rawRoute("GET /api/status-page/heartbeat/:slug", "anyone", {
    summary: "Get states and uptimes of a public page in Uptime Kuma's format",
    description: `${fromMemory} Each monitor has up to 29 days, then its current state.`,
    params: { slug },
    query: anyQuery,
    media: "application/json",
    handle: ({ ctx, params, ...deps }) => {
      const view = publicPage(ctx, deps, params.slug);
      return send(ctx, deps, view, documentsOf(view).heartbeats);
    },
  }),
  rawRoute("GET /api/badge/:id/status", "anyone", {
    summary: "Badge like Uptime Kuma's: state",
    description: badgeText,
    params: { id: missing },
    query: badgeQuery,
    media: "image/svg+xml",
    handle: ({ ctx, params: { id }, query, ...deps }) => sendBadge(ctx, deps, id, { kind: "status", ...query }),
  }),
  ...(["uptime", "ping"] as const).flatMap((kind) => [
    rawRoute(`GET /api/badge/:id/${kind}`, "anyone", {
      summary: `Badge like Uptime Kuma's: ${kind === "ping" ? "average response time" : "uptime"} over 24 hours`,
      description: badgeText,
      params: { id: missing },
      query: badgeQuery,
      media: "image/svg+xml",
      handle: ({ ctx, params: { id }, query: { label }, ...deps }) => sendBadge(ctx, deps, id, { kind, label }),
    }),
    rawRoute(`GET /api/badge/:id/${kind}/:duration`, "anyone", {
      summary: `Badge like Uptime Kuma's: ${kind === "ping" ? "average response time" : "uptime"} over a duration`,
      description: `${badgeText}. Durations: \`24\` hours and, for uptime, \`720\` (30 days) and \`2160\` (90 days).`,
      params: { id: missing, duration },
      query: badgeQuery,
      media: "image/svg+xml",
      handle: ({ ctx, params, query: { label }, ...deps }) =>
        sendBadge(ctx, deps, params.id, { kind, duration: params.duration, label }),
    }),
  ]),
];
