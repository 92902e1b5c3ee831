import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());

const change = (body: object, as: "user" | "viewer" = "user") => app.ask("POST", "/api/incidents/bulk", { as, body });

describe("many incidents", () => {
  test("are acknowledged one by one, and failures are listed with the reason", async () => {
    const { status, body } = await change({ ids: ["m5", "m6", "m5"], action: "acknowledge" });
    expect(status).toBe(200);
    expect(body["incidents"]).toMatchObject([{ id: "m5", acknowledgedBy: "ugo" }]);
    expect(body["failed"]).toEqual([{ id: "m6", message: "Incident does not exist" }]);
    const asked = app.fakes.calls.filter(({ method }) => method === "monitors.acknowledgeIncident");
    expect(asked.map(({ request }) => request)).toEqual([{ id: "m5" }, { id: "m6" }]);
  });

  test("can be unacknowledged", async () => {
    expect((await change({ ids: ["m5"], action: "unacknowledge" })).status).toBe(200);
    expect(app.fakes.calls.at(-1)).toMatchObject({ method: "monitors.unacknowledgeIncident", request: { id: "m5" } });
  });

  test("can be snoozed to a time, and unsnoozed", async () => {
    expect((await change({ ids: ["m5"], action: "snooze", minutes: 30 })).status).toBe(200);
    expect(app.fakes.calls.at(-1)).toMatchObject({
      method: "monitors.snoozeIncident",
      request: { id: "m5", minutes: 30 },
    });
    expect((await change({ ids: ["m5"], action: "unsnooze" })).status).toBe(200);
    expect(app.fakes.calls.at(-1)).toMatchObject({ method: "monitors.endSnooze", request: { id: "m5" } });
    for (const [wrong, path] of [
      [{ action: "snooze" }, "until"],
      [{ action: "snooze", minutes: 1 }, "minutes"],
      [{ action: "acknowledge", minutes: 30 }, "action"],
    ] as const) {
      const { status, body } = await change({ ids: ["m5"], ...wrong });
      expect([status, body["errors"]]).toMatchObject([400, [{ path }]]);
    }
  });

  test("are at most 200, with valid ids, for users with write access", async () => {
    const ids = Array.from({ length: 201 }, (_, index) => `m${index + 1}`);
    for (const wrong of [ids, [], ["x1"], ["m0"]]) {
      expect((await change({ ids: wrong, action: "acknowledge" })).status).toBe(400);
    }
    expect((await change({ ids: ["m5"], action: "close" })).status).toBe(400);
    expect((await change({ ids: ["m5"], action: "acknowledge" }, "viewer")).status).toBe(403);
  });
});
