import { unavailable } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent } from "../../testing/fake-agents.ts";
import { fakeMonitor } from "../../testing/fakes.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

type Ref = { type: "monitor" | "agent"; id: number };
const monitor = (id: number): Ref => ({ type: "monitor", id });
const agent = (id: number): Ref => ({ type: "agent", id });
const shop = { name: "shop", url: "https://example.com" };
const create = (dependsOn: Ref[]) =>
  app.ask("POST", "/api/monitors", { as: "user", body: { ...shop, dependsOn }, headers: { "accept-language": "en" } });
const change = (path: string, body: object) => app.ask("PUT", `/api/${path}`, { as: "user", body });
const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

/** The dependencies that the producers return. */
const depend = (edges: [Ref, Ref[]][]) => {
  for (const [producer, type] of [
    ["monitors", "monitor"],
    ["agents", "agent"],
  ] as const) {
    const own = edges.filter(([target]) => target.type === type);
    const dependencies = own.map(([{ id: targetId }, dependsOn]) => ({ targetId, dependsOn }));
    app.fakes.handlers.incidents[producer].listDependencies = async ({ afterId }) => {
      // One per call, with `more` set.
      const left = dependencies.filter(({ targetId }) => targetId > afterId);
      return { dependencies: left.slice(0, 1), more: left.length > 1 };
    };
  }
};

describe("the dependencies of a monitor or an agent", () => {
  test("exist, and are saved with it", async () => {
    expect((await create([monitor(7), agent(7), monitor(7)])).status).toBe(201);
    expect(requestOf("createMonitor")).toMatchObject({ monitor: { dependsOn: [monitor(7), agent(7)] } });
    expect((await change("monitors/8", { dependsOn: [agent(7)] })).status).toBe(200);
    expect(requestOf("updateMonitor")).toMatchObject({ id: 8, patch: { dependsOn: [agent(7)] } });
    expect((await change("agents/7", { dependsOn: [monitor(8)] })).status).toBe(200);
    expect(requestOf("updateAgent")).toMatchObject({ id: 7, dependsOn: [monitor(8)] });
  });

  test("are rejected with their path if they do not exist", async () => {
    const message = (what: string, id: number) => `There is no ${what} with ID ${id}`;
    const missing = await create([monitor(9), agent(7), agent(8), monitor(9_000_000_000)]);
    expect([missing.status, missing.body["errors"]]).toEqual([
      422,
      [
        { path: "dependsOn.0", message: message("monitor", 9) },
        { path: "dependsOn.2", message: message("agent", 8) },
        { path: "dependsOn.3", message: message("monitor", 9_000_000_000) },
      ],
    ]);
    expect((await change("monitors/7", { dependsOn: [agent(9)] })).status).toBe(422);
    expect((await change("agents/7", { dependsOn: [agent(9)] })).status).toBe(422);
    expect(app.fakes.calls.filter(({ method }) => /^(create|update)/.test(method))).toEqual([]);
  });

  test("of a missing target are 404", async () => {
    expect((await change("monitors/9", { dependsOn: [agent(7)] })).status).toBe(404);
    expect((await change("agents/9", { dependsOn: [monitor(7)] })).status).toBe(404);
  });

  test.each([
    ["monitors/7", [monitor(7)], "monitor 7 → monitor 7"],
    ["monitors/7", [monitor(8)], "monitor 7 → monitor 8 → web-1 → monitor 7"],
    ["agents/7", [agent(7)], "web-1 → web-1"],
  ])("form no cycle: %s on %j", async (path, dependsOn, circle) => {
    depend([
      [monitor(3), [monitor(4)]],
      [monitor(8), [agent(7)]],
      [agent(5), []],
      [agent(7), [monitor(7)]],
    ]);
    const { status, body } = await change(path, { dependsOn });
    const message = `This would create a dependency cycle: ${circle}`;
    expect([status, body["errors"]]).toEqual([400, [{ path: "dependsOn", message }]]);
    expect(app.fakes.calls.filter(({ method }) => method.startsWith("update"))).toEqual([]);
  });

  test("are checked without those that are replaced", async () => {
    depend([
      [monitor(7), [monitor(8)]],
      [monitor(8), []],
    ]);
    // 7 drops 8 later; now 8 would close the cycle.
    expect((await change("monitors/8", { dependsOn: [monitor(7)] })).status).toBe(400);
    depend([[monitor(7), []]]);
    expect((await change("monitors/8", { dependsOn: [monitor(7)] })).status).toBe(200);
  });

  test("are not checked if unchanged, so that a form can send them back", async () => {
    const stored = { dependsOn: [monitor(9), agent(7)] as never };
    app.fakes.handlers.monitors.getMonitor = async ({ id }) => ({ ...fakeMonitor(id), ...stored });
    app.fakes.refuse("listAgents", unavailable("agents"));
    app.fakes.refuse("agents.listDependencies", unavailable("incidents"));
    for (const dependsOn of [[monitor(9), agent(7)], [agent(7)], []]) {
      expect((await change("monitors/7", { name: "shop", dependsOn })).status).toBe(200);
    }
    expect((await change("monitors/7", { name: "shop" })).status).toBe(200);
    expect((await change("monitors/7", { dependsOn: [agent(7), monitor(8)] })).status).toBe(503);
  });

  test("lose deleted ones on the next change", async () => {
    const stored = [monitor(9)];
    app.fakes.handlers.agents.getAgent = async ({ id }) => ({ ...fakeAgent(id), dependsOn: stored }) as never;
    expect((await change("agents/7", { dependsOn: [monitor(9), monitor(8)] })).status).toBe(200);
    expect(requestOf("updateAgent")).toMatchObject({ dependsOn: [monitor(8)] });
  });

  test("cannot be checked while a producer is unavailable: nothing is saved", async () => {
    app.fakes.refuse("agents.listDependencies", unavailable("incidents"));
    expect((await change("monitors/7", { dependsOn: [monitor(8)] })).status).toBe(503);
    expect(requestOf("updateMonitor")).toBeUndefined();
  });
});
