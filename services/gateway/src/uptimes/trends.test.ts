import type { Monitor } from "@sonde/proto/http/monitors/monitors";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { unavailable } from "@sonde/kit/errors";
import { fakeMonitor } from "../testing/fakes.ts";
import { startTestApp, type TestApp } from "../testing/test-app.ts";
import { p95Of } from "./trends.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
afterEach(() => app.fakes.heal());

const ask = (path: string) => app.ask("GET", path, { as: "viewer" });
const callsOf = (method: string) =>
  app.fakes.calls.filter((asked) => asked.method === method).map(({ request }) => request);

describe("p95 in a list", () => {
  test("shows the change from the usual value, for monitors that have one", async () => {
    const { body } = await ask("/api/monitors");
    const [slow, other] = body["monitors"] as Monitor[];
    expect(slow?.p95).toEqual({ last: 900, usual: 320, change: 181, slower: true });
    expect(other).not.toHaveProperty("p95");
  });

  test("is absent without metrics, and the list says so", async () => {
    app.fakes.refuse("monitorTrends", unavailable("metrics"));
    const { body } = await ask("/api/monitors");
    expect(body).toMatchObject({ monitors: [{ id: 7 }, { id: 8 }], unavailable: ["p95"] });
    expect((body["monitors"] as Monitor[])[0]).not.toHaveProperty("p95");
  });

  test("is not slower if the monitor is not up or its state is unknown", () => {
    const trends = new Map([[7, { monitorId: 7, lastMs: 900, usualMs: 320, slower: true }]]);
    const slower = (state: object) => p95Of(trends, { ...fakeMonitor(7), ...state })?.slower;
    expect(slower({})).toBe(true);
    expect([{ status: "down" }, { status: "paused" }, { stale: true }].map(slower)).toEqual([false, false, false]);
  });

  test("has no change without a usual value, and none at all for heartbeats", () => {
    const p95 = (trend: object, monitor: object = {}) =>
      p95Of(new Map([[7, { monitorId: 7, lastMs: 900, slower: false, ...trend }]]), { ...fakeMonitor(7), ...monitor });
    expect(p95({})).toEqual({ last: 900, usual: null, change: null, slower: false });
    expect(p95({ usualMs: 0 })).toMatchObject({ usual: 0, change: null });
    expect(p95({ usualMs: 1000 })).toMatchObject({ change: -10 });
    expect(p95({}, { type: "heartbeat" })).toBeUndefined();
  });
});

describe("the filter slower", () => {
  test("selects the same monitors in the list and its counts", async () => {
    app.fakes.calls.length = 0;
    await ask("/api/monitors?slower=true&status=up&page=2&pageSize=1");
    await ask("/api/monitors/counts?slower=true&tag=shop");
    expect(callsOf("listMonitors")).toMatchObject([{ slower: [7], status: "up", page: 2, pageSize: 1 }]);
    expect(callsOf("countMonitors")).toMatchObject([{ slower: [7], tag: "shop" }]);
  });

  test("accepts only true", async () => {
    expect((await ask("/api/monitors?slower=false")).status).toBe(400);
    expect((await ask("/api/monitors/counts?slower=7")).status).toBe(400);
  });

  test("fails without metrics, because any list would be wrong", async () => {
    app.fakes.refuse("slowerMonitors", unavailable("metrics"));
    const { status, body } = await ask("/api/monitors?slower=true");
    expect([status, body["message"]]).toEqual([503, "The metrics service is currently unavailable"]);
    expect((await ask("/api/monitors")).status).toBe(200);
  });
});
