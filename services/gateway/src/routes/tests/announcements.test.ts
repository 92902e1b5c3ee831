import { AppError } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAnnouncement } from "../../testing/fake-status-page.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const lastCall = (method: string) =>
  app.fakes.calls.findLast((asked) => asked.method === method)?.request as Record<string, unknown> | undefined;
const put = (body: object) => app.ask("PUT", "/api/announcements/7", { as: "user", body });
const post = (path: string, body: object) => app.ask("POST", `/api/announcements${path}`, { as: "user", body });
const input = { title: "Payments are slow", impact: "minor" };

describe("announcements", () => {
  test("are listed with all their updates", async () => {
    const { status, body } = await app.ask("GET", "/api/announcements?open=true&incidentId=m5", { as: "viewer" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      total: 1,
      announcements: [
        {
          id: 7,
          title: "Payments are slow",
          impact: "minor",
          monitors: [7],
          agents: [],
          incidentId: "m5",
          state: "investigating",
          createdAt: "2026-01-31T12:00:00.000Z",
          updates: [
            { id: 1, state: "investigating", text: "We are **looking** at it.", at: "2026-01-31T12:00:00.000Z" },
          ],
        },
      ],
    });
    expect(lastCall("listAnnouncements")).toMatchObject({ open: "true", incidentId: "m5", page: 1, pageSize: 50 });
  });

  test("that exceed a bus message are requested one by one", async () => {
    app.fakes.handlers.statusPage.listAnnouncements = async ({ ids }) => {
      const all = [3, 2, 1].map((id) => ({ ...fakeAnnouncement(7), id }));
      const wanted = ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
      return { announcements: wanted.slice(0, 1), restIds: wanted.slice(1).map(({ id }) => id), total: 3 };
    };
    const { body } = await app.ask("GET", "/api/announcements", { as: "user" });
    expect((body["announcements"] as { id: number }[]).map(({ id }) => id)).toEqual([3, 2, 1]);
  });

  test("are created with their targets, each once", async () => {
    const { status, body } = await post("", { ...input, monitors: [7, 8, 7], agents: [3], incidentId: "m5" });
    expect([status, body["message"]]).toEqual([201, "Announcement created"]);
    expect(lastCall("createAnnouncement")).toMatchObject({
      ...input,
      incidentId: "m5",
      state: "investigating",
      monitors: [7, 8],
      agents: [3],
    });
  });

  test.each([
    ["no title", { impact: "minor" }, "title"],
    ["an empty title", { ...input, title: " " }, "title"],
    ["an unknown impact", { ...input, impact: "huge" }, "impact"],
    ["an unknown state", { ...input, state: "over" }, "state"],
    ["what is no id", { ...input, monitors: [0] }, "monitors.0"],
    ["what is no incident", { ...input, incidentId: "p1" }, "incidentId"],
    ["a text that is too long", { ...input, text: "x".repeat(10_001) }, "text"],
    ["a field that it does not have", { ...input, postMortem: "x" }, "postMortem"],
  ])("with %s are rejected with its path, without calling a service", async (_what, body, path) => {
    const answer = await post("", body);
    expect([answer.status, answer.body["errors"]]).toMatchObject([400, [{ path }]]);
    expect(app.fakes.calls).toEqual([]);
  });

  test("that name a missing target are rejected in the requested language", async () => {
    const details = [{ path: "monitors.0", message: "There is no monitor with ID {id}", params: { id: 9 } }] as const;
    app.fakes.refuse("createAnnouncement", new AppError("impossible", "The request is not valid", { details }));
    const headers = { "accept-language": "zh-CN" };
    const answer = await app.ask("POST", "/api/announcements", {
      as: "user",
      body: { ...input, monitors: [9] },
      headers,
    });
    expect([answer.status, answer.body["errors"]]).toEqual([
      422,
      [{ path: "monitors.0", message: "不存在 ID 为 9 的监控项" }],
    ]);
  });

  test("are changed only in the fields that are sent", async () => {
    const { status, body } = await put({ title: "Payments are down" });
    expect([status, body["message"]]).toEqual([200, "Announcement updated"]);
    const request = lastCall("updateAnnouncement");
    expect(request).toMatchObject({ id: 7, title: "Payments are down" });
    for (const kept of ["impact", "monitors", "agents", "incidentId", "postMortem"])
      expect(request?.[kept]).toBeUndefined();
  });

  test("keep their agents if only monitors are sent", async () => {
    await put({ monitors: [8] });
    expect(lastCall("updateAnnouncement")).toEqual({ id: 7, monitors: [8] });
    await put({ agents: [] });
    expect(lastCall("updateAnnouncement")).toEqual({ id: 7, agents: [] });
  });

  test("lose their incident and post-mortem with null", async () => {
    await put({ incidentId: null, postMortem: null });
    expect(lastCall("updateAnnouncement")).toMatchObject({ incidentId: null, postMortem: null });
  });

  test("accept updates with a state and a text", async () => {
    const { status, body } = await post("/7/updates", { state: "resolved", text: "It is **over**." });
    expect([status, body["message"]]).toEqual([201, "Update posted"]);
    expect(lastCall("addAnnouncementUpdate")).toMatchObject({ id: 7, state: "resolved", text: "It is **over**." });
    for (const [wrong, path] of [
      [{ state: "resolved" }, "text"],
      [{ state: "resolved", text: " \n" }, "text"],
      [{ text: "x" }, "state"],
    ] as const) {
      expect((await post("/7/updates", wrong)).body["errors"]).toMatchObject([{ path }]);
    }
  });

  test.each([
    ["GET", "", undefined],
    ["PUT", "", {}],
    ["DELETE", "", undefined],
    ["POST", "/updates", { state: "resolved", text: "x" }],
  ])("%s of a missing one is 404", async (method, path, body) => {
    for (const id of ["9", "0", "abc", "99999999999"]) {
      const answer = await app.ask(method, `/api/announcements/${id}${path}`, { as: "user", body });
      expect([answer.status, answer.body["message"]]).toEqual([404, "Announcement does not exist"]);
    }
  });

  test("can be deleted", async () => {
    const { status, body } = await app.ask("DELETE", "/api/announcements/7", { as: "user" });
    expect([status, body["message"]]).toEqual([200, "Announcement successfully deleted"]);
  });
});
