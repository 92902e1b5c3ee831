import { describeApi } from "../openapi.ts";
import { type Route, rawRoute } from "../route.ts";

/** The document describes itself too; it is made once, at the first question. */
export function openapiRoutes(others: readonly Route[]): Route[] {
  let text: string | undefined;
  const routes: Route[] = [
    rawRoute({
      method: "GET",
      path: "/api/openapi.json",
      who: "anyone",
      summary: "This API as OpenAPI 3.1",
      media: "application/json",
      handle: ({ ctx }) => {
        text ??= JSON.stringify(describeApi([...others, ...routes]));
        ctx.set("Cache-Control", "no-cache");
        ctx.type = "application/json";
        ctx.body = text;
      },
    }),
  ];
  return routes;
}
