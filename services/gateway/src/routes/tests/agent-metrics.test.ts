import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => app.fakes.heal());
afterAll(() => app.stop());

const ask = (path: string, headers = {}) => app.ask("GET", path, { as: "viewer", headers });

test.each([
  ["/api/agents/7/metrics", "1h"],
  ["/api/agents/7/metrics?range=24h", "24h"],
  ["/api/agents/7/metrics?range=7d", "7d"],
  ["/api/agents/7/metrics?range=30d", "30d"],
])("%s returns the series of %s", async (path, range) => {
  app.fakes.calls.length = 0;
  const { status, body } = await ask(path);
  expect(status).toBe(200);
  expect(Object.keys(body).toSorted()).toEqual(
    ["cpu", "disks", "inodes", "load", "memory", "network", "range", "step", "success"].toSorted(),
  );
  expect(body).toMatchObject({ success: true, range, step: 60 });
  expect(body["inodes"]).toMatchObject({ "/": [{ start: "2026-01-31T12:00:00.000Z", avg: 12.5, max: 13 }, {}, {}] });
  expect(body["disks"]).toMatchObject({ "/": [{ start: "2026-01-31T12:00:00.000Z", avg: 40, max: 40 }, {}, {}] });
  expect(app.fakes.calls.find(({ method }) => method === "agentMetrics")?.request).toMatchObject({ agentId: 7, range });
});

test("another range is rejected with its field, without calling a service", async () => {
  app.fakes.calls.length = 0;
  for (const query of ["range=8d", "range=1h'--", "range=1h&range=24h", "from=0"]) {
    const { status, body } = await ask(`/api/agents/7/metrics?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: "invalid", errors: [{ path: query.split("=")[0] }] });
  }
  expect(app.fakes.calls).toEqual([]);
});

test("a missing agent is reported with its id, even an impossible one", async () => {
  for (const id of ["8", "0", "99999999999", "seven"]) {
    const { status, body } = await ask(`/api/agents/${id}/metrics`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ success: false, code: "not_found", message: `Agent with ID ${id} not found` });
  }
  const chinese = await ask("/api/agents/8/metrics", { "accept-language": "zh-CN" });
  expect(chinese.body["message"]).toBe("未找到 ID 为 8 的 Agent");
});

test("while metrics is unavailable the response reports it", async () => {
  app.fakes.refuse("agentMetrics", unavailable("metrics"));
  const { status, body } = await ask("/api/agents/7/metrics");
  expect(status).toBe(503);
  expect(body).toMatchObject({ code: "unavailable", message: "The metrics service is currently unavailable" });
});
