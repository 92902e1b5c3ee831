import { html, write } from "@sonde/kit/http/html";
import { readFile } from "node:fs/promises";
import type { Context } from "../context.ts";
import { documentPolicy } from "../middleware/security-headers.ts";
import { basePathOf } from "../middleware/base-path.ts";
import { installationKey, type Route, rawRoute } from "../route.ts";
import { type Sendable, sendable, sendBytes } from "../site/bytes.ts";
import { isHttps } from "../status/headers.ts";

/** Serves the OpenAPI document and Swagger UI, whose 1.7 MB of script are read and compressed on first request. */
export function docsRoutes(others: readonly Route[]): Route[] {
  const documents = new Map<string, Sendable>();
  const routes: Route[] = [
    rawRoute("GET /api/openapi.json", "anyone", {
      summary: "Get this API as OpenAPI 3.1",
      media: "application/json",
      handle: async ({ ctx, config }) => {
        const key = installationKey(config);
        const { describeApi } = await import("../openapi.ts");
        const document =
          documents.get(key) ??
          sendable(
            "application/json; charset=utf-8",
            JSON.stringify({
              ...describeApi([...others, ...routes], config),
              servers: [{ url: basePathOf(config) || "/" }],
            }),
          );
        documents.set(key, document);
        return send(ctx, document);
      },
    }),
    rawRoute("GET /api/docs", "anyone", {
      summary: "Interactive documentation of this API",
      media: "text/html",
      handle: ({ ctx, config }) => {
        ctx.set("Content-Security-Policy", pagePolicy + (isHttps(config) ? "; upgrade-insecure-requests" : ""));
        return send(ctx, page);
      },
    }),
    ...Object.entries(files).map(([name, file]) =>
      rawRoute(`GET /api/docs/${name}`, "anyone", {
        summary: "Asset of the documentation page",
        media: file.media,
        handle: async ({ ctx }) => send(ctx, await file.load()),
      }),
    ),
  ];
  return routes;
}

const text = (media: string, bytes: Buffer | string) => sendable(`${media}; charset=utf-8`, bytes);
const packaged = (file: URL, media: string) => {
  let loaded: Promise<Sendable> | undefined;
  return { media, load: () => (loaded ??= readFile(file).then((bytes) => text(media, bytes))) };
};
const own = (source: string, media: string) => ({ media, load: async () => text(media, source) });

/** Adds a button that copies the request as a curl command, with the placeholder TOKEN if no token was entered. */
const curlPlugin = `const copyAsCurl = () => ({
  wrapComponents: {
    execute: (Execute, { React, Im, fn, specSelectors, oas3Selectors, authSelectors }) => (props) => {
      const [command, setCommand] = React.useState("");
      const { path, method, operation } = props;
      const asCurl = () => {
        const body = oas3Selectors.requestBodyValue(path, method);
        const request = fn.buildRequest({
          spec: specSelectors.specJsonWithResolvedSubtrees().toJS(),
          contextUrl: new URL(specSelectors.url(), location.href).toString(),
          operationId: operation.get("operationId"),
          pathName: path,
          method,
          parameters: specSelectors.parameterValues([path, method]).toJS(),
          requestContentType: oas3Selectors.requestContentType(path, method),
          responseContentType: oas3Selectors.responseContentType(path, method) || "*/*",
          requestBody: body?.toJS ? body.toJS() : body,
          securities: { authorized: authSelectors.authorized()?.toJS() ?? {} },
        });
        const isOpen = operation.get("security")?.size === 0;
        if (!isOpen && request.headers.Authorization === undefined) request.headers.Authorization = "Bearer TOKEN";
        return fn.requestSnippetGenerator_curl_bash(Im.fromJS(request));
      };
      // Without TLS, pages have no clipboard API and can only copy a selection.
      const copied = (area) => {
        if (area === null) return;
        area.select();
        document.execCommand("copy");
      };
      const button = { type: "button", className: "btn curl-button", onClick: () => setCommand(asCurl()) };
      const shown = { key: command, ref: copied, readOnly: true, className: "curl-command", rows: 6, value: command };
      return React.createElement(
        React.Fragment,
        null,
        React.createElement(Execute, props),
        React.createElement("button", button, "Copy as curl"),
        command !== "" && React.createElement("textarea", { ...shown, "aria-label": "Copied to the clipboard" }),
      );
    },
  },
});
`;
const script = `${curlPlugin}const theme = localStorage.getItem("theme");
const isDark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
document.documentElement.classList.toggle("dark-mode", isDark);
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  plugins: [copyAsCurl],
  requestSnippetsEnabled: true,
  showExtensions: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;
/** Hides what the page does not need, makes wide tables scroll on phones, and increases contrast. */
const style = `body { margin: 0; }
header { display: flex; gap: 1.5rem; padding: 1rem 20px 0; max-width: 1420px; margin: auto; font: 16px sans-serif; }
header a { color: #1a56c4; }
.dark-mode header a { color: #8ab4ff; }
.swagger-ui .servers, .swagger-ui .servers-title, .swagger-ui .info .link { display: none; }
.swagger-ui .opblock-body { overflow-x: auto; }
.swagger-ui .curl-button { margin: 0 20px 20px; }
.swagger-ui .curl-command { display: block; width: calc(100% - 40px); margin: 0 20px 20px; min-height: 0; }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: #14703f; border-color: #14703f; }
html:not(.dark-mode) .swagger-ui .opblock .opblock-summary-method { color: #10161d; text-shadow: none; }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #14703f; }
.swagger-ui .info .title small { background: #5b6470; }
.swagger-ui .info .title small.version-stamp { background: #3f6b00; }
`;

const files = {
  "swagger-ui.css": packaged(
    new URL("../../../../node_modules/swagger-ui-dist/swagger-ui.css", import.meta.url),
    "text/css",
  ),
  "swagger-ui-bundle.js": packaged(
    new URL("../../../../node_modules/swagger-ui-dist/swagger-ui-bundle.js", import.meta.url),
    "text/javascript",
  ),
  "page.css": own(style, "text/css"),
  "page.js": own(script, "text/javascript"),
};

/** Swagger UI draws its icons from data URLs. */
const pagePolicy = documentPolicy.replace("img-src 'self'", "img-src 'self' data:");
const page = sendable(
  "text/html; charset=utf-8",
  write(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>API reference · Sonde</title>
          <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
          <link rel="stylesheet" href="/api/docs/page.css" />
        </head>
        <body>
          <header>
            <a href="/">Sonde</a>
            <a href="/api/openapi.json">OpenAPI 3.1 document</a>
          </header>
          <div id="reference"></div>
          <script src="/api/docs/swagger-ui-bundle.js" defer></script>
          <script src="/api/docs/page.js" defer></script>
        </body>
      </html> `,
  ),
);

function send(ctx: Context, document: Sendable): Promise<void> {
  ctx.set("Cache-Control", "no-cache");
  return sendBytes(ctx, document);
}
