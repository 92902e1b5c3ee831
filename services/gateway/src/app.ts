import { AppError } from "@sonde/kit/errors";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import Koa from "koa";
import compress from "koa-compress";
import type { RequestListener } from "node:http";
import { downloadsPrefix, isInstallScript, serveDownloads, serveInstallScript } from "./agent-path/downloads.ts";
import type { Context, State } from "./context.ts";
import type { Deps } from "./deps.ts";
import { errors } from "./middleware/errors.ts";
import { checkHost } from "./middleware/host.ts";
import { observe, requestContext, traced } from "./middleware/observe.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { compressedFromBytes, createRouter } from "./router.ts";
import { isProviderPath, serveProviders } from "./routes/sign-in/way.ts";
import { routes } from "./routes/routes.ts";
import { mcpPath } from "./sessions/scopes.ts";
import { isDocs, serveDocs } from "./site/docs.ts";
import { serveSite } from "./site/site.ts";
import { isHttps, policyWithLogo } from "./status/headers.ts";
import { hostPathOf, pagePathOf } from "./status/paths.ts";
import { serveStatusPages } from "./status/requests.ts";

/** What listens for it. `middleware/host.ts` answers a request without a Host header, in an envelope. */
export const listenOptions = { variables: { host: "HOST", port: "PORT" }, requireHostHeader: false } as const;

/** Answers every request: pings of jobs by themselves, all others by the onion. */
export function createHandler(deps: Deps): RequestListener {
  const app = createApp(deps).callback();
  return (request, response) => void (deps.pings.take(request, response) || app(request, response));
}

/** The onion: each layer is one property of every answer; inside are the API, the public page, the way of agents, and the built web app. */
export function createApp(deps: Deps): Koa<State> {
  const app = new Koa<State>();
  app.use(requestContext(deps.config.trustedProxies));
  if (deps.spans !== null) app.use(traced(deps.spans, deps.config.trustedProxies));
  app.use(observe(deps.log));
  // The editor of public pages shows their logos. Nothing else in the app draws an image of another site.
  const policy = () => policyWithLogo(deps.status.pages.publicLogos());
  app.use(securityHeaders(deps.config.publicUrl, policy));
  // Answers are compressed once for each client: level 4 takes half of what the customary 6 does, for a seventh more bytes.
  app.use(compress({ threshold: compressedFromBytes, gzip: { level: 4 } }));
  app.use(errors(deps.log));
  app.use(checkHost(deps.config, deps.status.pages.ofHost));

  const api = createRouter(routes, deps);
  const site = serveSite(deps.site);
  const docs = serveDocs(deps.docs, isHttps(deps.config));
  const statusPages = serveStatusPages(deps);
  const downloads = serveDownloads(deps.config.agentDownloadDir);
  const script = serveInstallScript(deps.config);
  /** Nothing but the page: neither the API nor the app, so that no session ever meets that host. */
  const onPageHost = (ctx: Context, slug: string) => {
    if (isPageFile(ctx.path)) return site(ctx);
    if (slug === defaultSlug && isPublicApi(ctx)) return api(ctx);
    const page = isOther(ctx.path) ? null : hostPathOf(slug, ctx.path);
    if (page === null) throw new AppError("not_found", "Nothing exists at this address");
    return statusPages(ctx, page);
  };
  app.use((ctx) => {
    const { hostedPage } = ctx.state;
    if (hostedPage !== null) return onPageHost(ctx, hostedPage);
    if (isProviderPath(ctx.path)) return serveProviders(ctx, deps);
    if (isApi(ctx.path)) return api(ctx);
    if (isDocs(ctx.path)) return docs(ctx);
    const page = pagePathOf(ctx.path);
    if (page !== null) return statusPages(ctx, page);
    if (ctx.path.startsWith("/agent/v1/")) return deps.forward.handle(ctx);
    if (isInstallScript(ctx.path)) return script(ctx);
    // The command is built with the web app, and lies beside it.
    return ctx.path.startsWith(downloadsPrefix) && !deps.site.has(ctx.path) ? downloads(ctx) : site(ctx);
  });
  app.on("error", (error: unknown) => deps.log.warn({ err: error }, "response aborted"));
  return app;
}

const isApi = (path: string) => path === "/api" || path.startsWith("/api/") || path === mcpPath;
/** What documents of pages refer to. */
const isPageFile = (path: string) => /^\/(?:assets\/status\.\w+|favicon[\w-]*\.svg)$/.test(path);
/** Where documents of the default page have their data. */
const isPublicApi = ({ method, path }: Context) =>
  /^\/api\/status(?:\/(?:feed\.atom|events|badges\/[^/]+))?$/.test(path) ||
  (method === "POST" && /^\/api\/status\/subscribers(?:\/(?:confirm|unsubscribe))?$/.test(path));
/** What else Sonde answers, and no page has. */
const isOther = (path: string) => isApi(path) || /^\/(?:agent|ping|push|downloads|assets|install|docs)\b/.test(path);
