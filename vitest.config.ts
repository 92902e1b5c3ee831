import { defineConfig } from "vitest/config";
import { ProgressReporter } from "./testing/progress-reporter.ts";

/** A second, as polls wait by default, is short for a busy machine. */
const patient = { poll: { timeout: 30_000 } };

// unit: no services. it: real PostgreSQL, NATS and ClickHouse. web: jsdom + MSW. e2e: the whole product in Chromium.
// nightly: what takes too long for each change (`npm run test:nightly`).
export default defineConfig({
  test: {
    reporters: [new ProgressReporter()],
    maxConcurrency: 2, // Of tests that say they may run beside each other: more would only wait for the processors.
    projects: [
      {
        test: {
          name: "unit",
          include: ["{proto,packages,services,agent,cli,deploy,testing,bench,e2e,web/build}/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/*.it.test.ts"],
          testTimeout: 60_000, // A busy machine is no fault of what is tested.
          expect: patient,
          // A third of the processor time: files share a process and its modules. What replaces a module or changes the
          // process itself (its trusted roots) is an `it` test.
          isolate: false,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
          maxWorkers: 2, // Without it one on a machine with two cores, as many as it has but one elsewhere.
        },
      },
      {
        test: {
          name: "it",
          include: ["{services,agent,cli,deploy}/**/*.it.test.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["services/kit/src/embedded/test-servers.ts"],
          testTimeout: 240_000, // Under a load of ten some take two minutes.
          hookTimeout: 240_000,
          expect: patient,
          // They mostly wait for real servers and intervals.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      "web/vitest.config.ts",
      {
        test: {
          name: "e2e",
          include: ["e2e/**/*.e2e.ts"],
          testTimeout: 180_000,
          hookTimeout: 300_000,
          expect: patient,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "nightly",
          include: ["{services,cli,deploy,e2e}/**/*.nightly.ts"],
          exclude: ["**/node_modules/**"],
          globalSetup: ["services/kit/src/embedded/test-servers.ts"],
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
