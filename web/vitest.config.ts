import { mergeConfig } from "vite";
import { defineConfig } from "vitest/config";
import app from "./vite.config.ts";

// Separate from the app's configuration, because `npm start` builds the app without vitest.
export default mergeConfig(
  app,
  defineConfig({
    test: {
      name: "web",
      environment: "jsdom",
      // Tests without a DOM are *.test.ts and belong to the project `unit`.
      include: ["src/**/*.test.tsx"],
      setupFiles: ["src/testing/setup.ts"],
      environmentOptions: { jsdom: { url: "http://localhost/" } },
      css: false,
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // Test files share a process and its modules, because loading them takes longer than most tests.
      isolate: false,
      restoreMocks: true,
      unstubEnvs: true,
      unstubGlobals: true,
      maxWorkers: 3,
      sequence: { groupOrder: 1 },
    },
  }),
);
