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
import { hostsAskPath } from "../middleware/host.ts";
import { limitTexts } from "../middleware/limits.ts";
import { command, rawRoute, route } from "../route.ts";
import { requireSession } from "../sessions/sessions.ts";
import { openToMember, unlockPage } from "../status/unlock.ts";

type Config = Pick<Deps["config"], "host" | "publicUrl">;
const missing = "Page does not exist";
const slug = { missing, schema: pageSlug } as const;
const path = "/api/pages/:slug";
const faults =
  "A slug or a host name that another page has is 409; a reserved slug, the installation's own host, a new host while neither PUBLIC_URL is set nor Sonde listens on loopback, more than 50 pages, or an access that would let nobody in are 422.";

/** True if the host names of Sonde itself are known, which no page may have. */
const knowsOwnName = ({ host, publicUrl }: Config) => publicUrl !== null || isLoopback(host);

/** @throws AppError `impossible` for names that a page does not have yet */
function refuseHosts(hosts: readonly string[] = [], before: readonly string[] = []): void {
  const at = hosts.findIndex((host) => !before.includes(host));
  if (at < 0) return;
  const message = "Set PUBLIC_URL first. Otherwise a page could claim Sonde's own host name";
  throw new AppError("impossible", "The request is not valid", { details: [{ path: `hosts.${at}`, message }] });
}

/** Public and private pages, who may read them, and the hosts at which they are. */
export const pageRoutes = [
  route("GET /api/pages", "session", {
    summary: "List pages, the default one first",
    answer: pagesAnswer,
    handle: ({ services, ask }) => services.statusPage.listPages({}, ask),
  }),
  route("POST /api/pages", "write", {
    summary: "Make a page",
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
    summary: "What a page shows, how, and who may read it",
    params: { slug },
    answer: pageAnswer,
    handle: ({ services, params, ask }) => services.statusPage.getPage(params, ask),
  }),
  route(`PUT ${path}`, "write", {
    summary: "Change a page",
    description: `What is left out stays as it is. \`default\` is the page of \`/api/status/config\`. A new password or mode ends what others opened. ${faults}`,
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
    summary: "Delete a page, with its links and subscribers; the default page stays",
    params: { slug },
    refusals: ["impossible"],
    message: "Page deleted",
    handle: ({ services, params, ask }) => services.statusPage.deletePage(params, ask),
  }),
  route(`GET ${path}/links`, "write", {
    summary: "List the links by which a page may be read",
    params: { slug },
    answer: pageLinksAnswer,
    handle: async ({ services, params, ask }) => ({
      links: (await services.statusPage.getPage(params, ask)).page.links,
    }),
  }),
  route(`POST ${path}/links`, "write", {
    summary: "Make a link by which a page may be read; its address is in this answer alone",
    params: { slug },
    body: pageLinkInput,
    status: 201,
    answer: pageLinkAnswer,
    handle: ({ services, params, body, ask }) => services.statusPage.createPageLink({ ...body, ...params }, ask),
  }),
  command(`DELETE ${path}/links/:id`, "write", {
    summary: "Delete a link; who opened it may read the page no more",
    params: { slug, id: "Link does not exist" },
    message: "Link deleted",
    handle: ({ services, params, ask }) => services.statusPage.deletePageLink(params, ask),
  }),
  route(`POST ${path}/unlock`, "anyone", {
    summary: "Open a page by its password, by a link that is mailed, or, with an empty body, by a session",
    description: `A page that opens sets its cookie, and \`url\` is where it is. To an address the answer is the same whether it may read the page or not. With a session and \`host\`, one of the page's own, \`url\` opens it there within a minute. After 10 wrong passwords of one address in 15 minutes, or 200 of one page in an hour: 429; addresses without a wrong one still have 10 a minute together. ${limitTexts.wish}`,
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
  rawRoute(`GET ${hostsAskPath}`, "anyone", {
    summary: "Whether a host name is one of a page: 200, without a body, or 404",
    description: "What Caddy asks before it gets a certificate (`on_demand_tls`). Answered from memory.",
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
