import { statusConfigAnswer, statusConfigInput, statusPreviewAnswer } from "@sonde/proto/http/status/config";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { route } from "../route.ts";

/** The address of the public page; only a path if PUBLIC_URL is not set. */
const publicPageUrl = (publicUrl: string | null): string => `${publicUrl ?? ""}/status`;

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
    handle: async ({ services, config: { publicUrl }, ask }) => {
      const { config } = await services.statusPage.getConfig({}, ask);
      return { config, publicUrl: publicPageUrl(publicUrl) };
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
    handle: async ({ services, config: { publicUrl }, body, ask }) => {
      const { config } = await services.statusPage.updateConfig(body, ask);
      return { message: "Status page configuration saved", config, publicUrl: publicPageUrl(publicUrl) };
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
      const request = { ...body, language: ctx.state.language };
      const { html } = await services.statusPage.previewPage(request, { ...ask, timeoutMs: previewMs });
      return {
        html: (
          await promisify(gunzip)(Buffer.from(html, "base64"), { maxOutputLength: largestPreviewBytes })
        ).toString(),
      };
    },
  }),
];
