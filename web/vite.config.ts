import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { statusProxy } from "./dev/status-proxy.ts";

const api = process.env["SONDE_API"] ?? "http://127.0.0.1:8080";
// The server writes the public status page; the page where it is configured is the app's.
const publicPage = "^/status(?!/config(?:$|[/?]))";
const proxy = Object.fromEntries(
  ["/api", "/agent", "/downloads", publicPage].map((path) => [path, { target: api, changeOrigin: false }]),
);

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  server: { proxy: { ...proxy, [publicPage]: statusProxy(api) } },
  preview: { proxy },
  build: {
    target: "es2022",
    // Assets stay files of their own: a `data:` URL would need a wider Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The gateway writes the documents of the public page, and finds the names of its script and style sheet in there.
    manifest: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      input: {
        index: join(import.meta.dirname, "index.html"),
        status: join(import.meta.dirname, "src/status-page/main.ts"),
      },
      output: {
        codeSplitting: {
          groups: [
            // What every page needs, in two files that compress well: one changes with our code, one with our dependencies.
            {
              name: "vendor",
              test: /node_modules\/(?:react|react-dom|scheduler|react-redux|redux|redux-thunk|@reduxjs|immer|reselect|react-router|react-router-dom|i18next|react-i18next|use-sync-external-store)\//,
            },
            {
              name: "base",
              test: /src\/(?:app\/(?!announcements\/|targets\/|notifications\/)|lib\/(?:clock|format|history|router|throttle)|ui\/(?:alert|badge|button|card|cx|icons|logo|menu|page-header|spinner|states|tile|time|toast)\.)/,
            },
          ],
        },
      },
    },
  },
  test: {
    name: "web",
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    environmentOptions: { jsdom: { url: "http://localhost/" } },
    css: false,
    maxWorkers: 2,
  },
});
