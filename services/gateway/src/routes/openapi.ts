import { describeApi } from "../openapi.ts";
import { installationKey, type Route, rawRoute } from "../route.ts";

/** The document describes itself too; it is made once for an installation, at the first question. */
export function openapiRoutes(others: readonly Route[]): Route[] {
  const texts = new Map<string, string>();
  const routes: Route[] = [
    rawRoute({
      method: "GET",
      path: "/api/openapi.json",
      who: "anyone",
      summary: "This API as OpenAPI 3.1",
      media: "application/json",
      handle: ({ ctx, config }) => {
        const key = installationKey(config);
        const text = texts.get(key) ?? JSON.stringify(describeApi([...others, ...routes], config));
        texts.set(key, text);
        ctx.set("Cache-Control", "no-cache");
        ctx.type = "application/json";
        ctx.body = text;
      },
    }),
  ];
  return routes;
}
