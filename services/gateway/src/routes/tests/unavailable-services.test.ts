import { unavailable } from "@sonde/kit/errors";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
afterEach(() => app.fakes.heal());

const away = {
  monitors: ["listSharedCauses", "summary", "listMonitors", "monitors.listIncidents", "monitors.listIncidentMarks"],
  agents: ["agentsSummary", "listAgents", "agents.listIncidents", "agents.listIncidentMarks"],
  metrics: ["monitorUptimes", "monitorRecentChecks", "monitorResponseTimes", "monitorTrends", "slowerMonitors"],
} as const;
const stopService = (...services: (keyof typeof away)[]) => {
  for (const service of services) for (const method of away[service]) app.fakes.refuse(method, unavailable(service));
};
const ask = (path: string) => app.ask("GET", path, { as: "viewer" });

describe("the dashboard", () => {
  test("lists nothing as unavailable if all services respond", async () => {
    const { body } = await ask("/api/dashboard");
    expect(body).toMatchObject({ monitors: { total: 5 }, agents: { total: 3 }, incidents: 2 });
    expect(body).not.toHaveProperty("unavailable");
  });

  test("without agent-ingest shows monitors, their uptime and incidents", async () => {
    stopService("agents");
    const { status, body } = await ask("/api/dashboard");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      monitors: { total: 5, active: 4, up: 2, down: 1 },
      uptime: { h24: 99.5, d30: 98 },
      recent: [{ id: "m5" }],
    });
    expect(body).toMatchObject({ agents: null, incidents: null, worstAgents: null });
    expect(body).toMatchObject({ open: [{ id: "m5" }], ended: [{ id: "m5" }] });
    expect(body["unavailable"]).toEqual(["agents", "incidents", "recent", "open", "ended", "worstAgents"]);
  });

  test("without metrics shows everything else", async () => {
    stopService("metrics");
    const { body } = await ask("/api/dashboard");
    expect(body).toMatchObject({ monitors: { total: 5 }, agents: { total: 3 }, incidents: 2, recent: [{ id: "m5" }] });
    expect(body).toMatchObject({ uptime: null, slower: null, unavailable: ["uptime", "slower"] });
    const unknown = { uptime: { h24: null, d30: null }, p95: null, recentChecks: null };
    expect(body).toMatchObject({
      attention: [
        { id: 8, status: "down", ...unknown },
        { id: 7, ...unknown },
      ],
    });
  });

  test("without monitors shows the agents", async () => {
    stopService("monitors");
    const { body } = await ask("/api/dashboard");
    expect(body).toMatchObject({ agents: { total: 3, online: 1 }, recent: [] });
    expect(body).toMatchObject({ monitors: null, incidents: null, attention: null, certificates: null });
    expect(body["unavailable"]).toEqual([
      "monitors",
      "incidents",
      "recent",
      "open",
      "ended",
      "attention",
      "certificates",
      "slower",
    ]);
  });

  test("lists every unavailable part", async () => {
    stopService("monitors", "agents", "metrics");
    const parts = {
      monitors: null,
      agents: null,
      uptime: null,
      incidents: null,
      recent: null,
      open: null,
      ended: null,
      attention: null,
      certificates: null,
      slower: null,
      worstAgents: null,
    };
    const { status, body } = await ask("/api/dashboard");
    expect(status).toBe(200);
    expect(body).toEqual({ success: true, ...parts, unavailable: Object.keys(parts) });
  });

  test("returns an internal error as such", async () => {
    app.fakes.refuse("agentsSummary", () => Promise.reject(new Error("a fault")));
    expect((await ask("/api/dashboard")).status).toBe(500);
  });
});

describe("a list", () => {
  test("of monitors, or one monitor, says without metrics that its figures are unavailable", async () => {
    stopService("metrics");
    const none = { uptime: { h24: null, d30: null } };
    expect((await ask("/api/monitors")).body).toMatchObject({ monitors: [none, none], unavailable: ["uptime", "p95"] });
    expect((await ask("/api/monitors/7")).body).toMatchObject({ monitor: none, unavailable: ["uptime"] });
    app.fakes.heal();
    expect((await ask("/api/monitors")).body).not.toHaveProperty("unavailable");
  });

  test("of incidents without agent-ingest has those of monitors, on every page", async () => {
    stopService("agents");
    expect((await ask("/api/incidents")).body).toMatchObject({
      incidents: [{ id: "m5" }],
      total: 1,
      unavailable: ["agents"],
    });
    expect((await ask("/api/incidents?page=9&pageSize=50")).body).toMatchObject({ total: 1, unavailable: ["agents"] });
    expect((await ask("/api/incidents?target=agent:7")).status).toBe(503);
  });

  test("of incidents without monitors has those of agents, and fails without both", async () => {
    stopService("monitors");
    expect((await ask("/api/incidents")).body).toMatchObject({ incidents: [], unavailable: ["monitors"] });
    stopService("agents");
    expect((await ask("/api/incidents")).status).toBe(503);
  });
});

test("the app's configuration is served from memory without auth, after a first response", async () => {
  const path = "/api/config";
  const fresh = await startTestApp();
  fresh.fakes.refuse("registrationState", unavailable("auth"));
  expect((await fresh.ask("GET", path)).status).toBe(503);
  fresh.fakes.heal();
  const before = await fresh.ask("GET", path);
  fresh.fakes.refuse("registrationState", unavailable("auth"));
  const after = await fresh.ask("GET", path);
  expect([after.status, after.body]).toEqual([200, before.body]);
  await fresh.stop();
});
