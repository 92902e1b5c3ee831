import type { ProxyOptions } from "vite";

/**
 * How the development server passes on the public page: the gateway writes the document, and this puts the page's script
 * into it as it is in the sources, which brings the style along. The policy of the built page would forbid both.
 */
export function statusProxy(target: string): ProxyOptions {
  return {
    target,
    changeOrigin: false,
    selfHandleResponse: true,
    headers: { "accept-encoding": "identity" },
    configure: (proxy) => {
      proxy.on("proxyRes", (answer, _request, response) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const {
            "content-length": _length,
            "content-security-policy": _policy,
            etag: _etag,
            ...headers
          } = answer.headers;
          const body = Buffer.concat(chunks);
          response.writeHead(answer.statusCode ?? 502, headers);
          response.end(headers["content-type"]?.startsWith("text/html") === true ? withSources(body.toString()) : body);
        });
      });
    },
  };
}

/** A document with the script of the sources instead of what may have been built once. */
const withSources = (html: string): string =>
  html.replaceAll(/<link rel="stylesheet"[^>]*>|<script type="module"[^>]*><\/script>/g, "").replace(
    "</head>",
    `<script type="module" src="/@vite/client"></script>
<script type="module" src="/src/status-page/main.ts" blocking="render"></script>
</head>`,
  );
