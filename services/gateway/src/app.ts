import { AppError } from "@sonde/kit/errors";
import { runnerScriptPath } from "@sonde/proto/http/monitors/runner-install";
import { defaultSlug } from "@sonde/proto/http/status/snapshot";
import Koa from "koa";
import compress from "koa-compress";
import type { RequestListener } from "node:http";
import { downloadsPrefix, isInstallScript, serveDownloads, serveInstallScript } from "./agent-path/downloads.ts";
import type { Context, State } from "./context.ts";
import type { Deps } from "./deps.ts";
import { basePathOf, redirectWithin, stripBase } from "./middleware/base-path.ts";
import { errors } from "./middleware/errors.ts";
import { checkHost } from "./middleware/host.ts";
import { observe, requestContext, traced } from "./middleware/observe.ts";
import { securityHeaders } from "./middleware/security-headers.ts";
import { compressedFromBytes, createRouter } from "./router.ts";
import { isProviderPath, serveProviders } from "./routes/sign-in/way.ts";
import { routes } from "./routes/routes.ts";
import { serveRunnerScript } from "./runner-path/downloads.ts";
import { isRunnerPath, serveRunners } from "./runner-path/requests.ts";
import { kumaMetricsPath, mcpPath } from "./sessions/scopes.ts";
import { isDocs, serveDocs } from "./site/docs.ts";
import { serveSite } from "./site/site.ts";
import { isHttps, policyWithLogo } from "./status/headers.ts";
import { hostPathOf, pagePathOf } from "./status/paths.ts";
import { serveStatusPages } from "./status/requests.ts";

/** `middleware/host.ts` rejects requests without a Host header, with the usual envelope. */
export const listenOptions = { variables: { host: "HOST", port: "PORT" }, requireHostHeader: false } as const;

export function createHandler(deps: Deps): RequestListener {
  const app = createApp(deps).callback();
  const base = basePathOf(deps.config);
  return (request, response) => {
    stripBase(request, base);
    void (deps.pings.take(request, response) || app(request, response));
  };
}

export function createApp(deps: Deps): Koa<State> {
  const app = new Koa<State>();
  const base = basePathOf(deps.config);
  app.use(requestContext(deps.config.trustedProxies, base));
  app.use(redirectWithin(base));
  if (deps.spans !== null) app.use(traced(deps.spans, deps.config.trustedProxies));
  app.use(observe(deps.log));
  // The page editor previews logos from other sites. The app loads no other external image.
  const policy = () => policyWithLogo(deps.status.pages.publicLogos());
  app.use(securityHeaders(deps.config.publicUrl, policy));
  // Level 4 needs half the CPU time of the usual 6, and produces a seventh more bytes.
  app.use(compress({ threshold: compressedFromBytes, gzip: { level: 4 } }));
  app.use(errors(deps.log));
  app.use(checkHost(deps.config, deps.status.pages.ofHost));

  const api = createRouter(routes, deps);
  const site = serveSite(deps.site);
  const docs = serveDocs(deps.docs, isHttps(deps.config));
  const statusPages = serveStatusPages(deps);
  const downloads = serveDownloads(deps.config.agentDownloadDir);
  const script = serveInstallScript(deps.config);
  const runners = serveRunners(deps);
  const runnerScript = serveRunnerScript(deps.site);
  /** Excludes API and app: no session cookie may be used on that host. */
  const onPageHost = (ctx: Context, slug: string) => {
    if (isPageFile(ctx.path)) return site(ctx);
    if ((slug === defaultSlug && isPublicApi(ctx)) || isKumaPage(ctx.path, slug)) return api(ctx);
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
    if (isRunnerPath(ctx.path)) return runners(ctx);
    if (isInstallScript(ctx.path)) return script(ctx);
    if (ctx.path === runnerScriptPath) return runnerScript(ctx);
    // The web app's build contains the command-line tool.
    return ctx.path.startsWith(downloadsPrefix) && !deps.site.has(ctx.path) ? downloads(ctx) : site(ctx);
  });
  app.on("error", (error: unknown) => deps.log.warn({ err: error }, "response aborted"));
  return app;
}

const outsideApi: readonly string[] = ["/api", mcpPath, kumaMetricsPath];
const isApi = (path: string) => path.startsWith("/api/") || outsideApi.includes(path);
const isPageFile = (path: string) => /^\/(?:assets\/status\.\w+|favicon[\w-]*\.svg)$/.test(path);
/** API paths that documents of the default page use. */
const isPublicApi = ({ method, path }: Context) =>
  /^\/api\/status(?:\/(?:feed\.atom|events|badges\/[^/]+))?$/.test(path) ||
  (method === "POST" && /^\/api\/status\/subscribers(?:\/(?:confirm|unsubscribe))?$/.test(path));
const isKumaPage = (path: string, slug: string) =>
  path === `/api/status-page/${slug}` || path === `/api/status-page/heartbeat/${slug}`;
/** Sonde's own paths, which no page may use. */
const isOther = (path: string) =>
  isApi(path) || /^\/(?:agent|runner|ping|push|downloads|assets|install|docs)\b/.test(path);
