import { defineConfig } from "vitest/config";

// unit: no services. it: real PostgreSQL, NATS and ClickHouse. web: jsdom + MSW. e2e: the whole product in Chromium.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{proto,services,agent,deploy,bench}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.it.test.ts"],
          testTimeout: 30_000, // A busy machine is no fault of what is tested.
        },
      },
      {
        test: {
          name: "it",
          include: ["{services,agent,deploy}/**/*.it.test.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["deploy/local/src/testing/servers.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
        },
      },
      "web/vite.config.ts",
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.ts"],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          maxWorkers: 1,
          fileParallelism: false,
        },
      },
    ],
  },
});
