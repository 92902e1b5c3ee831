import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => {
  app.fakes.heal();
  app.fakes.calls.length = 0;
});
afterAll(() => app.stop());

const ask = (id: number, query = "") => app.ask("GET", `/api/monitors/${id}/history${query}`, { as: "viewer" });

test.each([
  ["", { range: "24h", timeZone: "UTC" }],
  ["?range=1h", { range: "1h", timeZone: "UTC" }],
  ["?range=7d&step=1d&timeZone=Asia/Shanghai", { range: "7d", step: "1d", timeZone: "Asia/Shanghai" }],
  ["?range=30d&step=1h", { range: "30d", step: "1h", timeZone: "UTC" }],
  [
    "?from=2026-01-02T10:00:00Z&until=2026-01-02T12:00:00Z&step=1m",
    { range: "24h", from: "2026-01-02T10:00:00Z", until: "2026-01-02T12:00:00Z", step: "1m" },
  ],
])("history%s is requested from metrics, and returned with the step that metrics chose", async (query, asked) => {
  const { status, body } = await ask(7, query);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    range: asked.range,
    step: 300,
    changes: [{ kinds: ["paused"] }],
    buckets: [
      { checks: 3, up: 2, coverage: 60 },
      { availability: null, inMaintenance: true },
    ],
  });
  const request = expect.objectContaining({ monitorId: 7, ...asked });
  expect(app.fakes.calls).toContainEqual(expect.objectContaining({ method: "monitorHistory", request }));
});

test.each([
  ["?range=30d&step=5m", "step", "This step would produce more than 1000 buckets"],
  ["?range=24h&step=1m", "step", "This step would produce more than 1000 buckets"],
  ["?step=2h", "step", undefined],
  ["?timeZone=Mars/Olympus", "timeZone", "Unknown time zone"],
  ["?timeZone=%2B08:00", "timeZone", "Unknown time zone"],
  ["?range=90d", "range", undefined],
  ["?from=2999-01-02T10:00:00Z", "until", "The end must be after the start"],
  ["?from=2026-01-02T10:00:00Z&until=2026-01-02T10:00:00Z", "until", "The end must be after the start"],
  [
    "?from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z&step=1m",
    "step",
    "This step would produce more than 1000 buckets",
  ],
  ["?from=2020-01-01T00:00:00Z&until=2026-01-02T00:00:00Z", "step", "This step would produce more than 1000 buckets"],
])("history%s is rejected because of %s", async (query, path, message) => {
  const { status, body } = await ask(7, query);
  expect(status).toBe(400);
  expect(body.errors).toEqual([{ path, message: message ?? expect.any(String) }]);
  expect(app.fakes.calls.map(({ method }) => method)).not.toContain("monitorHistory");
});

test("history is requested without waiting for the monitor", async () => {
  let notifyRequested = () => {};
  const asked = new Promise<void>((resolve) => (notifyRequested = resolve));
  app.fakes.refuse("monitorHistory", async () => {
    notifyRequested();
    throw unavailable("metrics");
  });
  app.fakes.refuse("getMonitor", async () => {
    await asked;
    throw unavailable("monitors");
  });
  expect(await ask(7)).toMatchObject({ status: 503 });
});

test("a missing monitor has no history", async () => {
  expect(await ask(9)).toMatchObject({ status: 404, body: { message: "Monitor does not exist" } });
});

test("locations are returned side by side, for a range or a period", async () => {
  const query = "?from=2026-01-02T10:00:00Z&until=2026-01-02T12:00:00Z";
  const answer = await app.ask("GET", `/api/monitors/7/history/locations${query}`, { as: "viewer" });
  expect(answer).toMatchObject({ status: 200, body: { step: 300, locations: [{ name: "tokyo", failures: 1 }] } });
  const upTo = "/api/monitors/7/history/locations?until=2026-01-02T12:00:00Z";
  expect(await app.ask("GET", upTo, { as: "viewer" })).toMatchObject({ status: 200 });
  expect(await app.ask("GET", "/api/monitors/9/history/locations", { as: "viewer" })).toMatchObject({ status: 404 });
});

test.each([
  ["", false],
  ["?failed=false", false],
  ["?failed=true&before=2026-01-02T10:00:00Z&from=2026-01-02T09:00:00Z&limit=20", true],
])("checks%s are requested with failures only: %s", async (query, failedOnly) => {
  const { status, body } = await app.ask("GET", `/api/monitors/7/checks${query}`, { as: "viewer" });
  expect(status).toBe(200);
  expect(body.checks).toHaveLength(2);
  const request = expect.objectContaining({ monitorId: 7, failedOnly });
  expect(app.fakes.calls).toContainEqual(expect.objectContaining({ method: "listChecks", request }));
});
