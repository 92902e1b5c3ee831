import { kinds } from "@sonde/proto/http/monitors/kinds";
import { probedFields } from "@sonde/proto/http/monitors/monitors";
import { secretMask } from "@sonde/proto/http/secrets";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fakePingKey } from "../testing/fake-heartbeats.ts";
import { createFakes, directServices, fakeMonitor } from "../testing/fakes.ts";
import { startTestApp, type TestApp, testConfig } from "../testing/test-app.ts";

/** Fields of HTTP checks that heartbeats lack, except the interval. */
const notOfHeartbeats: readonly string[] = [
  ...probedFields.filter((name) => name !== "interval"),
  ...Object.keys(kinds.http.fields),
];
const facts = Object.fromEntries(Object.entries(fakeMonitor(7)).filter(([name]) => !notOfHeartbeats.includes(name)));
const heartbeat = {
  ...facts,
  type: "heartbeat",
  target: "every 60 min",
  every: 60,
  grace: 300,
  keepOutput: true,
  pingUrl: "/ping/3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11",
  dueAt: null,
  deadlineAt: null,
  running: [],
  lastRun: null,
} as never;

let app: TestApp;
let fakes: ReturnType<typeof createFakes>;
beforeAll(async () => {
  fakes = createFakes();
  const services = directServices(fakes);
  const own = { getMonitor: async () => heartbeat, renewPingUrl: async () => heartbeat };
  const listMonitors = async () => ({ monitors: [heartbeat], total: 1, restIds: [] });
  const monitors = { ...services.monitors, ...own, listMonitors };
  app = await startTestApp({ config: { ...testConfig, publicUrl: null }, services: { ...services, monitors } });
});
beforeEach(() => void (fakes.calls.length = 0));
afterAll(() => app.stop());

const pingUrlOf = (body: Record<string, unknown>) => (body["monitor"] as { pingUrl?: string }).pingUrl;

describe("a heartbeat's URL", () => {
  test("is shown to users with write access, with the requested host", async () => {
    const expected = `http://127.0.0.1:${app.port}/ping/3f0c9f2a-6c1f-4f0e-9a51-0d6f3a7b9c11`;
    expect(pingUrlOf((await app.ask("GET", "/api/monitors/7", { as: "user" })).body)).toBe(expected);
    expect(pingUrlOf((await app.ask("POST", "/api/monitors/7/ping-url", { as: "user" })).body)).toBe(expected);
  });

  test("is masked for viewers, in lists too", async () => {
    expect(pingUrlOf((await app.ask("GET", "/api/monitors/7", { as: "viewer" })).body)).toBe(secretMask);
    const { text } = await app.ask("GET", "/api/monitors", { as: "viewer" });
    expect(text).toContain(secretMask);
    expect(text).not.toContain("3f0c9f2a");
  });
});

test("job output is visible only with write access", async () => {
  const of = async (as: "user" | "viewer") => (await app.ask("GET", "/api/monitors/7/pings", { as })).body["pings"];
  expect(await of("user")).toMatchObject([{ type: "fail", exitCode: 1, output: "disk full" }]);
  expect(await of("viewer")).toEqual([expect.not.objectContaining({ output: expect.anything() })]);
});

test("pings can be filtered", async () => {
  await app.ask("GET", "/api/monitors/7/pings?before=2026-01-02T00:00:00Z&limit=3", { as: "user" });
  const asked = fakes.calls.find(({ method: called }) => called === "listPings");
  expect(asked?.request).toEqual({ monitorId: 7, beforeMs: Date.UTC(2026, 0, 2), limit: 3 });
  expect((await app.ask("GET", "/api/monitors/7/pings?limit=201", { as: "user" })).status).toBe(400);
});

test("the ping key is masked for viewers, and only admins can set it", async () => {
  expect((await app.ask("GET", "/api/ping-key", { as: "viewer" })).body).toMatchObject({ pingKey: secretMask });
  expect((await app.ask("GET", "/api/ping-key", { as: "user" })).body).toMatchObject({ pingKey: fakePingKey });
  const set = await app.ask("PUT", "/api/ping-key", { as: "admin", body: { creates: false } });
  expect(set.body).toMatchObject({ pingKey: fakePingKey, creates: false });
});

test("a schedule returns its next times; it needs a cron expression", async () => {
  const answer = await app.ask("GET", "/api/schedule?cron=30%202%20*%20*%20*&timeZone=Europe%2FBerlin", {
    as: "viewer",
  });
  expect(answer.body["next"]).toHaveLength(5);
  expect((await app.ask("GET", "/api/schedule", { as: "viewer" })).body).toMatchObject({ errors: [{ path: "cron" }] });
});
