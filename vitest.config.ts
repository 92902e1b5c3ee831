import { defineConfig } from "vitest/config";

/** The default of one second is too short on a busy machine. */
const patient = { poll: { timeout: 30_000 } };

/** Integration tests that replace modules, change their process (trusted roots, PATH) or open their own ClickHouse. */
const changesProcess = [
  "deploy/**/*.it.test.ts",
  "services/kit/src/bus/nats-versions.it.test.ts",
  "services/metrics/src/{clickhouse/server,ingest/*,samples/ingest}.it.test.ts",
  "services/monitors/src/noise/replay.it.test.ts",
  "services/monitors/src/state/{clock-step,flapping,silence}.it.test.ts",
  "services/probe-runner/**/*.it.test.ts",
];
const integration = {
  globalSetup: ["packages/embedded/src/test-servers.ts"],
  // CI machines can be three times slower than a quiet one.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: patient,
  maxWorkers: 6, // These tests mostly wait for servers.
};

// unit: no services. it: real PostgreSQL, NATS and ClickHouse. web: jsdom and MSW. e2e: the whole product in Chromium.
// nightly: too slow for each change (`npm run test:nightly`). `groupOrder` runs the projects one after another.
export default defineConfig({
  test: {
    reporters: ["./testing/progress-reporter.ts"],
    silent: "passed-only",
    maxConcurrency: 2, // Limits concurrent tests of one file; more would only wait for the CPU.
    projects: [
      {
        test: {
          name: "unit",
          include: ["{proto,packages,services,agent,cli,deploy,testing,bench,e2e,web/build,web/src}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.it.test.ts"],
          testTimeout: 180_000, // Generous, so a busy machine fails no test.
          expect: patient,
          // Sharing a process and its modules takes a third of the CPU time. A test that replaces a module or changes its
          // process (trusted roots) is an `it` test.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
          maxWorkers: 4, // Many tests wait for timers and processes.
        },
      },
      {
        test: {
          ...integration,
          name: "it",
          include: ["{services,cli}/**/*.it.test.ts"],
          exclude: ["**/node_modules/**", ...changesProcess],
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...integration,
          name: "it-isolated",
          include: changesProcess,
          exclude: ["**/node_modules/**"],
          sequence: { groupOrder: 3 },
        },
      },
      "web/vitest.config.ts",
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.ts"],
          globalSetup: ["e2e/support/installations.ts"],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          expect: patient,
          maxWorkers: 3, // Files wait for intervals, but some have a product of their own.
          sequence: { groupOrder: 4 },
        },
      },
      {
        test: {
          name: "nightly",
          include: ["{services,agent,cli,deploy,e2e}/**/*.nightly.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["packages/embedded/src/test-servers.ts"],
          testTimeout: 240_000,
          hookTimeout: 300_000,
          expect: patient,
          restoreMocks: true,
          unstubEnvs: true,
          fileParallelism: false,
        },
      },
    ],
  },
});
