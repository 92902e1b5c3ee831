import { readFileSync } from "node:fs";
import type { Document } from "../docs/document.ts";
import { renderPage } from "../docs/page.ts";
import { describeApi } from "../openapi.ts";
import { installationKey, type Route, rawRoute } from "../route.ts";

const style = readFileSync(new URL("../docs/style.css", import.meta.url));

/** The reference page of all routes, rendered once a language at its first question, and its stylesheet. */
export function docsRoutes(all: () => readonly Route[]): Route[] {
  const pages = new Map<string, string>();
  return [
    rawRoute({
      method: "GET",
      path: "/api/docs",
      who: "anyone",
      summary: "This API as a page to read",
      media: "text/html",
      handle: ({ ctx, config }) => {
        const { language } = ctx.state;
        const key = `${language} ${installationKey(config)}`;
        const page = pages.get(key) ?? renderPage(describeApi(all(), config) as Document, language);
        pages.set(key, page);
        ctx.set({ "Cache-Control": "no-cache", "Content-Language": language });
        ctx.vary("Accept-Language");
        ctx.type = "text/html; charset=utf-8";
        ctx.body = page;
      },
    }),
    rawRoute({
      method: "GET",
      path: "/api/docs.css",
      who: "anyone",
      summary: "The stylesheet of that page",
      media: "text/css",
      handle: ({ ctx }) => {
        ctx.set("Cache-Control", "no-cache");
        ctx.type = "text/css; charset=utf-8";
        ctx.body = style;
      },
    }),
  ];
}
