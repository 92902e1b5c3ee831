import { silentLog } from "@sonde/kit/service/log";
import { registry } from "@sonde/kit/telemetry/metrics";
import { systemClock } from "@sonde/kit/time/clock";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { sendable } from "../site/bytes.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";
import { createPings, type PingDeps } from "./pings.ts";
import type { OutgoingPing } from "./publisher.ts";

const uuid = "3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11";
const pingKey = "Zq3-xT_9aB0cD1eF2gH3iJ";
const unknownUuid = "00000000-0000-4000-8000-000000000000";
const known = new Map([
  [uuid, { monitorId: 7, creates: false, format: "" }],
  [pingKey, { monitorId: 0, creates: false, format: "" }],
  [`${pingKey}/backup`, { monitorId: 8, creates: false, format: "" }],
]);
let app: TestApp;
afterEach(() => app.stop());

async function startWith(given: Partial<PingDeps> = {}) {
  const pings: OutgoingPing[] = [];
  const deps: PingDeps = {
    config: testConfig,
    ofHost: () => null,
    targets: {
      find: (key) => known.get(key),
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
  const page = { open: async () => sendable("text/html", "<title>Sonde</title>"), cacheControl: "no-cache" };
  app = await startTestApp({ pings: createPings(deps), site: new Map([["/index.html", page]]) }, deps.log);
  return { pings, ask: (path: string, init?: RequestInit) => fetch(app.url + path, init) };
}

test("neither logs nor metrics contain a ping URL", async () => {
  let logged = "";
  const log = pino({ level: "debug" }, { write: (line: string) => void (logged += line) });
  const { ask } = await startWith({ log, store: () => Promise.reject(new Error("broken")) });
  expect((await ask(`/ping/${uuid}`)).status).toBe(500);
  expect((await ask(`/ping/${unknownUuid}/fail`)).status).toBe(404);
  expect((await ask(`/${unknownUuid}`)).status).toBe(404);
  expect((await ask("/api/push/secretToken123")).status).toBe(404);
  expect(logged).toContain("ping failed");
  const figures = await registry.metrics();
  expect(figures).toContain('route="ping",status="404"');
  for (const secret of [uuid, "00000000-0000", "secretToken123"]) {
    expect(logged).not.toContain(secret);
    expect(figures).not.toContain(secret);
  }
});

test("a foreign host name is rejected if PUBLIC_URL is set", async () => {
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

test("a bus failure is 503 without its cause", async () => {
  const { ask } = await startWith({ accepts: () => false });
  const answer = await ask(`/ping/${uuid}`);
  expect([answer.status, await answer.text()]).toEqual([503, "unavailable, please try again"]);
});

test("other paths are left to Koa", async () => {
  const { ask } = await startWith();
  expect((await ask("/ping")).headers.get("ping-body-limit")).toBeNull();
  expect(await (await ask("/api/pushes/x")).json()).toMatchObject({ code: "not_found" });
});

test.each([
  ["GET", `/${uuid}`, { monitorId: 7, type: "success" }],
  ["HEAD", `/${uuid.toUpperCase()}?rid=${unknownUuid}`, { monitorId: 7, type: "success", runId: unknownUuid }],
  ["POST", `/${uuid}/`, { monitorId: 7, type: "success" }],
  ["GET", `/${uuid}/start`, { monitorId: 7, type: "start" }],
  ["POST", `/${uuid}/fail`, { monitorId: 7, type: "fail" }],
  ["GET", `/${uuid}/log`, { monitorId: 7, type: "log" }],
  ["GET", `/${uuid}/3`, { monitorId: 7, type: "fail", exitCode: 3 }],
  ["GET", `/${pingKey}/backup`, { monitorId: 8, type: "success" }],
  ["POST", `/${pingKey}/backup/0`, { monitorId: 8, type: "success", exitCode: 0 }],
])("a URL as hosted healthchecks.io has it is a ping: %s %s", async (method, path, ping) => {
  const { ask, pings } = await startWith();
  const answer = await ask(path, { method });
  expect([answer.status, await answer.text()]).toEqual([200, method === "HEAD" ? "" : "OK"]);
  expect(pings).toMatchObject([ping]);
});

test.each([
  `/${unknownUuid}`,
  `/${unknownUuid}/fail`,
  `/${uuid}/unknown-signal`,
  `/${uuid}/fail/again`,
  `/${pingKey}`,
  `/${pingKey}/`,
  `/${pingKey}/unknown-slug`,
  `/${pingKey}/Not-A-Slug`,
  "/AnotherKeyOf22Letters_/backup/fail",
  `/${uuid}?long`,
])("a similar but invalid URL is 404 as text: %s", async (path) => {
  const { ask, pings } = await startWith();
  for (const method of ["GET", "HEAD", "POST"]) {
    const url = path.replace("long", "x".repeat(9_000));
    const answer = await ask(url, { method, headers: { accept: "text/html" } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/plain; charset=utf-8"]);
    if (method !== "HEAD") expect(await answer.text()).toBe("not found");
  }
  expect(pings).toEqual([]);
});

test.each(["/", "/monitors/7", "/notifications/templates", "/docs-of-22-characters.png", `/monitors/${uuid}`])(
  "a page of the web app is not a ping URL: %s",
  async (path) => {
    const { ask } = await startWith({ accepts: () => false });
    const answer = await ask(path, { headers: { accept: "text/html" } });
    expect(answer.headers.get("content-type")).not.toContain("text/plain");
  },
);
