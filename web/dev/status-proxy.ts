import type { ProxyOptions } from "vite";

/**
 * Proxies the public page in development. The gateway renders the document, and this replaces its script with the one
 * in the sources, which includes the styles. The built page's Content-Security-Policy would block both, so it is
 * removed.
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

const withSources = (html: string): string =>
  html.replaceAll(/<link rel="stylesheet"[^>]*>|<script type="module"[^>]*><\/script>/g, "").replace(
    "</head>",
    `<script type="module" src="/@vite/client"></script>
<script type="module" src="/src/status-page/main.ts" blocking="render"></script>
</head>`,
  );
