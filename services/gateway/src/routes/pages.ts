import { isLoopback } from "@sonde/kit/addresses";
import { AppError } from "@sonde/kit/errors";
import {
  pageAnswer,
  pageChange,
  pageInput,
  pageLinkAnswer,
  pageLinkInput,
  pageLinksAnswer,
  pagesAnswer,
  unlockAnswer,
  unlockInput,
} from "@sonde/proto/http/status/pages";
import { pageSlug } from "@sonde/proto/http/status/slugs";
import { pagePath } from "@sonde/proto/http/status/snapshot";
import * as z from "zod";
import type { Deps } from "../deps.ts";
import { hostCheckPath } from "../middleware/host.ts";
import { limitTexts } from "../middleware/limits.ts";
import { command, rawRoute, route } from "../route.ts";
import { requireSession } from "../sessions/sessions.ts";
import { openToMember, unlockPage } from "../status/unlock.ts";

type Config = Pick<Deps["config"], "host" | "publicUrl">;
const missing = "Page does not exist";
const slug = { missing, schema: pageSlug } as const;
const path = "/api/pages/:slug";
const faults =
  "409: another page has the slug or host name. 422: a reserved slug, the installation's own host, a new host if PUBLIC_URL is not set and Sonde does not listen on loopback, more than 50 pages, or access that would admit nobody.";

/** True if Sonde's own host names are known, which pages must not claim. */
const knowsOwnName = ({ host, publicUrl }: Config) => publicUrl !== null || isLoopback(host);

/** @throws AppError `impossible` for host names that the page does not already have */
function refuseHosts(hosts: readonly string[] = [], before: readonly string[] = []): void {
  const at = hosts.findIndex((host) => !before.includes(host));
  if (at < 0) return;
  const message = "Set PUBLIC_URL first. Otherwise a page could claim Sonde's own host name";
  throw new AppError("impossible", "The request is not valid", { details: [{ path: `hosts.${at}`, message }] });
}

export const pageRoutes = [
  route("GET /api/pages", "session", {
    summary: "List pages, the default one first",
    answer: pagesAnswer,
    handle: ({ services, ask }) => services.statusPage.listPages({}, ask),
  }),
  route("POST /api/pages", "write", {
    summary: "Create a page",
    description: `Its slug never changes. ${faults}`,
    body: pageInput,
    status: 201,
    answer: pageAnswer,
    message: "Page created",
    handle: async ({ services, config, body, ask }) => {
      if (!knowsOwnName(config)) refuseHosts(body.hosts);
      return services.statusPage.createPage(body, ask);
    },
  }),
  route(`GET ${path}`, "session", {
    summary: "Get a page's configuration and access",
    params: { slug },
    answer: pageAnswer,
    handle: ({ services, params, ask }) => services.statusPage.getPage(params, ask),
  }),
  route(`PUT ${path}`, "write", {
    summary: "Change a page",
    description: `Absent fields stay unchanged. \`default\` is the page of \`/api/status/config\`. A new password or mode signs out all visitors. ${faults}`,
    params: { slug },
    body: pageChange,
    answer: pageAnswer,
    message: "Page saved",
    handle: async ({ services, config, params, body, ask }) => {
      if (body.hosts !== undefined && !knowsOwnName(config)) {
        const { page } = await services.statusPage.getPage(params, ask);
        refuseHosts(body.hosts, page.hosts);
      }
      return services.statusPage.updatePage({ ...body, ...params }, ask);
    },
  }),
  command(`DELETE ${path}`, "write", {
    summary: "Delete a page with its links and subscribers; the default page cannot be deleted",
    params: { slug },
    refusals: ["impossible"],
    message: "Page deleted",
    handle: ({ services, params, ask }) => services.statusPage.deletePage(params, ask),
  }),
  route(`GET ${path}/links`, "write", {
    summary: "List a page's access links",
    params: { slug },
    answer: pageLinksAnswer,
    handle: async ({ services, params, ask }) => ({
      links: (await services.statusPage.getPage(params, ask)).page.links,
    }),
  }),
  route(`POST ${path}/links`, "write", {
    summary: "Create an access link for a page; its address is only returned here",
    params: { slug },
    body: pageLinkInput,
    status: 201,
    answer: pageLinkAnswer,
    handle: ({ services, params, body, ask }) => services.statusPage.createPageLink({ ...body, ...params }, ask),
  }),
  command(`DELETE ${path}/links/:id`, "write", {
    summary: "Delete an access link; visitors who used it lose access",
    params: { slug, id: "Link does not exist" },
    message: "Link deleted",
    handle: ({ services, params, ask }) => services.statusPage.deletePageLink(params, ask),
  }),
  route(`POST ${path}/unlock`, "anyone", {
    summary: "Unlock a page with its password, an emailed link or, with an empty body, a session",
    description: `On success, the page's cookie is set and \`url\` is its address. For an email address, the response does not reveal whether it can view the page. With a session and \`host\`, one of the page's custom domains, \`url\` opens the page there within a minute. 429 after 10 wrong passwords from one address in 15 minutes, or 200 for one page in an hour; addresses without a wrong password then share 10 attempts per minute. ${limitTexts.wish}`,
    params: { slug },
    query: z.strictObject({ host: z.string().max(253).optional() }),
    body: unlockInput,
    refusals: ["unauthenticated", "forbidden", "too_many"],
    answer: unlockAnswer,
    handle: async ({ ctx, params, query, body, ...deps }) => {
      ctx.set("Cache-Control", "no-store");
      if (body.password === undefined && body.email === undefined) {
        const session = await requireSession(ctx.req, ctx.state.address, deps.sessions);
        if (session.key !== undefined) throw new AppError("forbidden", "API keys cannot be used for this");
        return { url: openToMember(ctx, deps, params.slug, query.host) };
      }
      if (await unlockPage(ctx, deps, params.slug, body, ctx.state.language)) return { url: pagePath(params.slug) };
      return { message: "If this address can view the page, a link is on its way" };
    },
  }),
  rawRoute(`GET ${hostCheckPath}`, "anyone", {
    summary: "Check if a host name belongs to a page: 200 without a body, or 404",
    description: "For Caddy's `on_demand_tls`, which asks before it requests a certificate. Served from memory.",
    query: z.strictObject({ domain: z.string().max(300) }),
    refusals: ["not_found"],
    media: "text/plain",
    handle: ({ ctx, status, query }) => {
      const page = status.pages.ofHost(query.domain.toLowerCase().replace(/\.$/, ""));
      if (page === null) throw new AppError("not_found", "Nothing exists at this address");
      ctx.status = 200;
      ctx.type = "text/plain";
      ctx.body = "";
    },
  }),
];
