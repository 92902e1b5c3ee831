import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import app from "./vite.config.ts";

// Apart from the app's own: `npm start` builds the app without vitest.
export default mergeConfig(
  app,
  defineConfig({
    test: {
      name: "web",
      environment: "jsdom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["src/testing/setup.ts"],
      environmentOptions: { jsdom: { url: "http://localhost/" } },
      css: false,
      maxWorkers: 2,
    },
  }),
);
