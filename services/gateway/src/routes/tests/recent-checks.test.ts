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

const ask = (query: string) => app.ask("GET", `/api/monitors/recent-checks${query}`, { as: "viewer" });

test("recent checks are returned by id, with one call", async () => {
  const { status, body } = await ask("?ids=7,8,7");
  expect(status).toBe(200);
  const recentChecks = [
    { at: "2026-01-31T11:59:00.000Z", status: "none", inMaintenance: true },
    { at: "2026-01-31T12:00:00.000Z", status: "up", responseTime: 12.5 },
  ];
  expect(body).toEqual({ success: true, recentChecks: { 7: recentChecks, 8: recentChecks } });
  expect(app.fakes.calls).toMatchObject([{ method: "monitorRecentChecks", request: { monitorIds: [7, 8] } }]);
});

test("impossible ids have an empty list, and are not requested", async () => {
  const { body } = await ask("?ids=9999999999");
  expect(body).toEqual({ success: true, recentChecks: { 9999999999: [] } });
  expect(app.fakes.calls).toMatchObject([{ request: { monitorIds: [] } }]);
});

test("two hundred monitors are allowed, one more is rejected", async () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join();
  const whole = await ask(`?ids=${ids(200)}`);
  expect(Object.keys(whole.body["recentChecks"] as object)).toHaveLength(200);
  const refused = await ask(`?ids=${ids(201)}`);
  expect(refused.body).toMatchObject({
    code: "invalid",
    errors: [{ path: "ids", message: "Too many entries (maximum 200)" }],
  });
});

test.each(["", "?ids=", "?ids=1,", "?ids=0", "?ids=-1", "?ids=1.5", "?ids=1&ids=2", "?ids=1'--", "?ids=1&page=2"])(
  "a query of '%s' is rejected without calling a service",
  async (query) => {
    expect(await ask(query)).toMatchObject({ status: 400, body: { code: "invalid" } });
    expect(app.fakes.calls).toEqual([]);
  },
);

test("while metrics is unavailable the response reports it", async () => {
  app.fakes.refuse("monitorRecentChecks", unavailable("metrics"));
  const { status, body } = await ask("?ids=7");
  expect(status).toBe(503);
  expect(body["message"]).toBe("The metrics service is currently unavailable");
});
