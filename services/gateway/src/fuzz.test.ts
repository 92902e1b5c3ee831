import { invalid } from "@sonde/kit/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { linkToken } from "./testing/fake-notifier.ts";
import { reportToken } from "./testing/fake-reports.ts";
import { feedToken } from "./testing/fake-on-call.ts";
import { pagePassword } from "./testing/fake-status-page.ts";
import { type OpenApi, readOperations } from "./testing/fuzz/document.ts";
import { fuzz, oneOfTwo } from "./testing/fuzz/fuzz.ts";
import { createHints } from "./testing/fuzz/hints.ts";
import type { Hints } from "./testing/fuzz/requests.ts";
import { principals } from "./testing/principals.ts";
import { pathOf, startTestApp, type TestApp, testConfig } from "./testing/test-app.ts";

// `e2e/api-fuzz.nightly.ts` sends more requests, to a complete installation.
const seed = Number(process.env["FUZZ_SEED"] ?? 20260131);

let app: TestApp;
beforeAll(async () => {
  // All requests come from one address, whose limits would reject most of them.
  const unlimited = async () => {};
  app = await startTestApp({ linkReads: unlimited, subscriptions: { subscribe: unlimited, token: unlimited } });
  // The document shows this installation's minimum interval, which the monitors service enforces.
  const { monitors } = app.fakes.handlers;
  const { createMonitor, updateMonitor, testMonitor } = monitors;
  monitors.createMonitor = async (input, call) => (requireInterval(input.monitor), createMonitor(input, call));
  monitors.updateMonitor = async (input, call) => (requireInterval(input.patch), updateMonitor(input, call));
  monitors.testMonitor = async (input, call) => (requireInterval(input.monitor), testMonitor(input, call));
});
afterAll(() => app.stop());

function requireInterval({ interval = 1 }: { interval?: number }): void {
  if (interval < testConfig.minIntervalMinutes)
    throw invalid([{ path: "interval", message: "This value is not valid" }]);
}

let names = 0;
const hintsOf = createHints({
  targetUrl: "http://127.0.0.1:9/health",
  resolver: "127.0.0.1:53",
  password: "right",
  uniqueName: (prefix) => `${prefix}-${seed}-${(names += 1)}`,
  monitorId: () => 7,
});

const fakeValues: Record<string, Hints["byName"]> = {
  "/api/auth/login": { password: () => "right" },
  "/api/auth/factor": Object.fromEntries(
    ["recoveryCode", "passkey", "newPasskey"].map((name) => [name, () => undefined]),
  ),
  "/api/incidents/acknowledge-link": { token: () => linkToken },
  "/api/incidents/acknowledge-link/snooze": { token: () => linkToken },
  "/api/incidents/acknowledge-link/undo": { token: () => linkToken },
  "/api/on-call/schedules/{id}.ics": { token: () => feedToken },
  "/api/reports/recipients": { token: () => reportToken },
  "/api/reports/{id}/{period}": { token: () => reportToken },
  "/api/pages/{slug}/unlock": { password: () => pagePassword, email: () => undefined },
  "/api/hosts/ask": { domain: () => "status.acme.example" },
};

test("every response to valid and mutated requests is one that the document allows", async () => {
  const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as OpenApi;

  const { problems, unreached, requests } = await fuzz({
    baseUrl: app.url,
    operations: readOperations(document),
    seed,
    counts: {
      admin: { valid: 3, mutations: 15 },
      viewer: { valid: 1, mutations: 3 },
      anonymous: { valid: 1, mutations: 3 },
    },
    hintsOf: async (operation) => {
      const { byName, together } = hintsOf(operation);
      return {
        path: (template) => pathOf(template.replaceAll(/\{(\w+)\}/g, ":$1")),
        ids: () => [operation.path.startsWith("/api/incidents") ? "m5" : 7],
        byName: { ...byName, ...fakeValues[operation.path] },
        together,
      };
    },
    tokenOf: async (_operation, actor) => (actor === "anonymous" ? null : principals[actor].token),
    unreachable: [],
    mayRefuseValid: oneOfTwo,
  });

  expect(problems.slice(0, 30), `FUZZ_SEED=${seed}, ${requests} requests`).toEqual([]);
  expect(unreached, `FUZZ_SEED=${seed}`).toEqual([]);
  expect(requests).toBeGreaterThan(3_000);
});
