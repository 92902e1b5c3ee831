import { dashboardAnswer } from "@sonde/proto/http/dashboard";
import type { KnownMonitor } from "@sonde/proto/http/monitors/monitors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unavailable } from "@sonde/kit/errors";
import { fakeCause } from "../../testing/fakes.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

async function ask() {
  app.fakes.calls.length = 0;
  const { body } = await app.ask("GET", "/api/dashboard", { as: "viewer" });
  return dashboardAnswer.parse(body);
}
const callsOf = (method: string) =>
  app.fakes.calls.filter((asked) => asked.method === method).map(({ request }) => request);

test("monitors that need attention have recent checks, p95 and uptime, but no configuration", async () => {
  const { attention } = await ask();
  expect(attention).toHaveLength(2);
  expect(attention?.[0]).toMatchObject({ id: 8, status: "down", lastError: "500 is not 200", p95: null });
  expect(attention?.[1]).toMatchObject({ id: 7, responseTime: 12.5, p95: 80.3, uptime: { h24: 99.9 } });
  expect(attention?.[1]?.recentChecks?.map(({ status }) => status)).toEqual(["none", "up"]);
  expect(attention?.[1]).not.toHaveProperty("headers");
});

test("a group has its own state and uptime", async () => {
  const { monitors } = app.fakes.handlers;
  const { summary } = monitors;
  monitors.summary = async (request, call) => {
    const answer = await summary(request, call);
    const group = { type: "group", state: "partial", groupUptime: { h24: 97.5, d30: null } };
    return { ...answer, attention: [{ ...answer.attention[0]!, ...group } as KnownMonitor] };
  };
  const { attention } = await ask();
  expect(attention).toMatchObject([{ state: "partial", uptime: { h24: 97.5, d30: null } }]);
  monitors.summary = summary;
});

test("expiring certificates are counted, and the first ones listed", async () => {
  const { certificates } = await ask();
  expect(certificates).toEqual({
    total: 12,
    soonest: [{ monitorId: 7, name: "monitor 7", expiresAt: "2026-02-01T12:00:00.000Z" }],
  });
});

test("monitors that became slower are counted, with the largest change first", async () => {
  const { slower } = await ask();
  const p95 = { last: 900, usual: 320, change: 181, slower: true };
  expect(slower).toEqual({ total: 1, worst: [{ monitorId: 7, name: "monitor 7", p95 }] });
  expect(callsOf("listMonitors")).toMatchObject([{ ids: [7], slower: [7], pageSize: 3 }]);
  app.fakes.handlers.metrics.slowerMonitors = async () => ({ monitorIds: [] });
  expect((await ask()).slower).toEqual({ total: 0, worst: [] });
  expect(callsOf("listMonitors")).toEqual([]);
});

test("problems of configuration sources are included while there are any", async () => {
  expect(await ask()).not.toHaveProperty("sourceProblems");
  const { summary } = app.fakes.handlers.monitors;
  const sourceProblems = [{ source: "prod-git", problem: "sonde.yaml:3: No" }];
  app.fakes.handlers.monitors.summary = async (request, call) => ({
    ...(await summary(request, call)),
    sourceProblems,
  });
  expect((await ask()).sourceProblems).toEqual(sourceProblems);
  app.fakes.handlers.monitors.summary = summary;
});

test("what open incidents share is included while there is anything", async () => {
  expect((await ask()).sharedCauses).toEqual([fakeCause]);
  const { monitors } = app.fakes.handlers;
  const { listSharedCauses } = monitors;
  monitors.listSharedCauses = async () => ({ causes: [] });
  expect(await ask()).not.toHaveProperty("sharedCauses");
  monitors.listSharedCauses = async () => {
    throw unavailable("monitors");
  };
  const answer = await ask();
  expect(answer).not.toHaveProperty("sharedCauses");
  expect(answer).not.toHaveProperty("unavailable");
  monitors.listSharedCauses = listSharedCauses;
});

test("an agent's disk gauge shows its fullest disk", async () => {
  const { worstAgents } = await ask();
  expect(worstAgents).toMatchObject([{ id: 7, name: "web-1", status: "online", cpu: 12.5, memory: 50, disk: 93.2 }]);
});

test("the dashboard calls each service once, with limits", async () => {
  await ask();
  expect(callsOf("summary")).toMatchObject([{ attention: 10, certificateDays: 14 }]);
  expect(callsOf("agentsSummary")).toMatchObject([{ worst: 5 }]);
  for (const method of ["monitorRecentChecks", "monitorResponseTimes"])
    expect(callsOf(method)).toMatchObject([{ monitorIds: [8, 7] }]);
  for (const producer of ["monitors", "agents"]) {
    const asked = callsOf(`${producer}.listIncidents`) as {
      limit: number;
      uncounted: boolean;
      filter: { open?: boolean; sort: string };
    }[];
    expect(asked.map(({ filter }) => [filter.open, filter.sort])).toEqual([
      [undefined, "-openedAt"],
      [true, undefined],
      [false, "-closedAt"],
    ]);
    expect(asked.every(({ limit, uncounted }) => limit <= 100 && uncounted)).toBe(true);
  }
  expect(app.fakes.calls.length).toBeLessThanOrEqual(15);
});
