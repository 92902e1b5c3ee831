import { unavailable } from "@sonde/kit/errors";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "./testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => {
  app.fakes.heal();
  app.fakes.asked.length = 0;
});
afterAll(() => app.stop());

const ask = (id: number, query = "") => app.ask("GET", `/api/monitors/${id}/history${query}`, { as: "viewer" });

test.each([
  ["", "24h"],
  ["?range=30d", "30d"],
])("history%s is one of %s, with the step that metrics chose", async (query, range) => {
  const { status, body } = await ask(7, query);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    range,
    step: 300,
    buckets: [
      { checks: 3, up: 2, coverage: 60 },
      { availability: null, inMaintenance: true },
    ],
  });
  expect(app.fakes.asked).toContainEqual(
    expect.objectContaining({ method: "monitorHistory", request: expect.objectContaining({ monitorId: 7, range }) }),
  );
});

test("nobody waits for the monitor before history is asked", async () => {
  let told = () => {};
  const asked = new Promise<void>((resolve) => (told = resolve));
  app.fakes.refuse("monitorHistory", async () => {
    told();
    throw unavailable("metrics");
  });
  app.fakes.refuse("getMonitor", async () => {
    await asked;
    throw unavailable("monitors");
  });
  expect(await ask(7)).toMatchObject({ status: 503 });
});

test("a monitor that is not there has none", async () => {
  expect(await ask(9)).toMatchObject({ status: 404, body: { message: "Monitor does not exist" } });
});
