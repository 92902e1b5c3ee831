import { statusConfigAnswer, statusConfigInput, statusPreviewAnswer } from "@sonde/proto/http/status/config";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { presentStatusConfig, publicPageUrl } from "../presenters/status-config.ts";
import { route } from "../route.ts";

const partial = "What is left out stays as it is; groups that were not sent follow what the page shows.";
/** status-page asks monitors, agents and metrics about what the page does not show yet. */
const previewMs = 8000;
const largestPreviewBytes = 16 * 2 ** 20;

export const statusConfigRoutes = [
  route({
    method: "GET",
    path: "/api/status/config",
    who: "session",
    summary: "What the public page shows, and how",
    answer: statusConfigAnswer,
    handle: async ({ services, config, ask }) => {
      const stored = await services.statusPage.getConfig({}, ask);
      return { config: presentStatusConfig(stored.config), publicUrl: publicPageUrl(config.publicUrl) };
    },
  }),
  route({
    method: "PUT",
    path: "/api/status/config",
    who: "write",
    summary: "Configure the public page",
    description: `${partial} What was deleted since it was saved is left out of what is saved.`,
    body: statusConfigInput,
    answer: statusConfigAnswer,
    handle: async ({ services, config, body, ask }) => {
      const stored = await services.statusPage.updateConfig({ config: JSON.stringify(body) }, ask);
      return {
        message: "Status page configuration saved",
        config: presentStatusConfig(stored.config),
        publicUrl: publicPageUrl(config.publicUrl),
      };
    },
  }),
  route({
    method: "POST",
    path: "/api/status/config/preview",
    who: "write",
    summary: "The public page as a document, as a change of its configuration would make it; nothing is saved",
    description: `${partial} Of more than 100 services the bars of the first 100 are in it.`,
    body: statusConfigInput,
    answer: statusPreviewAnswer,
    handle: async ({ services, body, ctx, ask }) => {
      const request = { config: JSON.stringify(body), language: ctx.state.language };
      const { html } = await services.statusPage.previewPage(request, { ...ask, timeoutMs: previewMs });
      return { html: (await promisify(gunzip)(html, { maxOutputLength: largestPreviewBytes })).toString() };
    },
  }),
];
