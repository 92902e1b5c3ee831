import { silentLog } from "@sonde/kit/service/log";
import { registry } from "@sonde/kit/telemetry/metrics";
import { systemClock } from "@sonde/kit/time/clock";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";
import { createPings, type PingDeps } from "./pings.ts";
import type { OutgoingPing } from "./publisher.ts";

const uuid = "3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11";
let app: TestApp;
afterEach(() => app.stop());

async function startWith(given: Partial<PingDeps> = {}) {
  const pings: OutgoingPing[] = [];
  const deps: PingDeps = {
    config: testConfig,
    ofHost: () => null,
    targets: {
      find: (key) => (key === uuid ? { monitorId: 7, creates: false } : undefined),
      current: () => true,
      complete: () => true,
    },
    accepts: () => true,
    store: async (ping) => void pings.push(ping),
    monitors: { heartbeatOfSlug: async () => ({ id: 8, created: true }) },
    clock: systemClock,
    log: silentLog,
    ...given,
  };
  app = await startTestApp({ pings: createPings(deps) }, deps.log);
  return { pings, ask: (path: string, init?: RequestInit) => fetch(app.url + path, init) };
}

test("neither log nor figures hold an address", async () => {
  let logged = "";
  const log = pino({ level: "debug" }, { write: (line: string) => void (logged += line) });
  const { ask } = await startWith({ log, store: () => Promise.reject(new Error("broken")) });
  expect((await ask(`/ping/${uuid}`)).status).toBe(500);
  expect((await ask("/ping/00000000-0000-4000-8000-000000000000/fail")).status).toBe(404);
  expect((await ask("/api/push/secretToken123")).status).toBe(404);
  expect(logged).toContain("a ping failed");
  const figures = await registry.metrics();
  expect(figures).toContain('route="ping",status="404"');
  for (const secret of [uuid, "00000000-0000", "secretToken123"]) {
    expect(logged).not.toContain(secret);
    expect(figures).not.toContain(secret);
  }
});

test("a foreign host name is refused where PUBLIC_URL is set", async () => {
  const { ask, pings } = await startWith({ config: { ...testConfig, publicUrl: "https://sonde.example.com" } });
  expect((await ask(`/ping/${uuid}`)).status).toBe(200);
  const { get } = await import("node:http");
  const status = await new Promise((resolve) =>
    get(`${app.url}/ping/${uuid}`, { headers: { host: "evil.example" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }),
  );
  expect(status).toBe(421);
  expect(pings).toHaveLength(1);
});

test("a failure of the bus is 503, and says nothing of its cause", async () => {
  const { ask } = await startWith({ accepts: () => false });
  const answer = await ask(`/ping/${uuid}`);
  expect([answer.status, await answer.text()]).toEqual([503, "unavailable, please try again"]);
});

test("other paths are the onion's", async () => {
  const { ask } = await startWith();
  expect((await ask("/ping")).headers.get("ping-body-limit")).toBeNull();
  expect(await (await ask("/api/pushes/x")).json()).toMatchObject({ code: "not_found" });
});
