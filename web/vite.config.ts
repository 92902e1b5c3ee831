import { join } from "node:path";
import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { sharedFile } from "./build/chunks.ts";
import { withPrograms } from "./build/programs.ts";
import { compressed } from "./build/compress.ts";
import { statusProxy } from "./dev/status-proxy.ts";

const api = process.env["SONDE_API"] ?? "http://127.0.0.1:8080";
// The server renders the public status page. Its settings are part of the app.
const publicPage = "^/status(?!/config(?:$|[/?]))";
const proxy = Object.fromEntries(
  ["/api", "/mcp", "/agent", "/downloads", "/docs", publicPage].map((path) => [
    path,
    { target: api, changeOrigin: false },
  ]),
);

// The package exports only its development build, with warnings in production.
const routerFile = (name: string) =>
  fileURLToPath(
    new URL(`../react-router/dist/production/${name}.mjs`, import.meta.resolve("react-router-dom/package.json")),
  );

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), withPrograms(), compressed()],
  resolve: {
    alias: [
      { find: /^react-router$/, replacement: routerFile("index") },
      { find: /^react-router\/dom$/, replacement: routerFile("dom-export") },
    ],
  },
  server: { proxy: { ...proxy, [publicPage]: statusProxy(api) } },
  preview: { proxy },
  // Sonde may be served below a path: scripts and style sheets refer to each other by relative addresses, and the gateway
  // adds the path to those in documents.
  experimental: { renderBuiltUrl: (name, { hostType }) => (hostType === "html" ? `/${name}` : { relative: true }) },
  build: {
    target: "es2022",
    // No inlined assets, because `data:` URLs would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // `npm run measure` prints sizes.
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, "index.html"),
        status: join(import.meta.dirname, "src/status-page/main.ts"),
      },
      output: {
        // Short names, because the first page lists all chunks.
        chunkFileNames: "assets/c-[hash].js",
        // The public page's documents refer to its script and style sheet by name
        // (services/status-page/src/render/document.ts).
        entryFileNames: ({ name }) => (name === "status" ? "assets/status.js" : "assets/[name]-[hash].js"),
        assetFileNames: ({ names }) =>
          names.includes("status.css") ? "assets/status.css" : "assets/[name]-[hash][extname]",
        codeSplitting: {
          groups: [
            {
              name: "vendor",
              test: /node_modules\/(react|react-dom|react-router|react-router-dom|react-redux|@reduxjs|i18next|react-i18next)\//,
            },
            { name: sharedFile(), minShareCount: 2, includeDependenciesRecursively: false },
          ],
        },
      },
    },
  },
});
