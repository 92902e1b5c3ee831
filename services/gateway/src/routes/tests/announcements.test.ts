import { AppError } from "@sonde/kit/errors";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAnnouncement } from "../../testing/fake-status-page.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeEach(async () => void (app = await startTestApp()));
afterEach(() => app.stop());

const lastAsked = (method: string) =>
  app.fakes.asked.findLast((asked) => asked.method === method)?.request as Record<string, unknown> | undefined;
const put = (body: object) => app.ask("PUT", "/api/announcements/7", { as: "user", body });
const post = (path: string, body: object) => app.ask("POST", `/api/announcements${path}`, { as: "user", body });
const input = { title: "Payments are slow", impact: "minor" };

describe("announcements", () => {
  test("are listed with their updates, whole", async () => {
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
    expect(lastAsked("listAnnouncements")).toMatchObject({ open: "true", incidentId: "m5", page: 1, pageSize: 50 });
  });

  test("that fit no message together are asked for one after the other", async () => {
    app.fakes.handlers.statusPage.listAnnouncements = async ({ ids }) => {
      const all = [3, 2, 1].map((id) => ({ ...fakeAnnouncement(7), id }));
      const wanted = ids.length === 0 ? all : all.filter(({ id }) => ids.includes(id));
      return { announcements: wanted.slice(0, 1), restIds: wanted.slice(1).map(({ id }) => id), total: 3 };
    };
    const { body } = await app.ask("GET", "/api/announcements", { as: "user" });
    expect((body["announcements"] as { id: number }[]).map(({ id }) => id)).toEqual([3, 2, 1]);
  });

  test("are created with what they name, each once", async () => {
    const { status, body } = await post("", { ...input, monitors: [7, 8, 7], agents: [3], incidentId: "m5" });
    expect([status, body["message"]]).toEqual([201, "Announcement created"]);
    expect(lastAsked("createAnnouncement")).toMatchObject({
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
  ])("with %s are refused at its place, and nobody is asked", async (_what, body, path) => {
    const answer = await post("", body);
    expect([answer.status, answer.body["errors"]]).toMatchObject([400, [{ path }]]);
    expect(app.fakes.asked).toEqual([]);
  });

  test("that name what does not exist are refused in the asked language", async () => {
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

  test("are changed by what is sent alone", async () => {
    const { status, body } = await put({ title: "Payments are down" });
    expect([status, body["message"]]).toEqual([200, "Announcement updated"]);
    const request = lastAsked("updateAnnouncement");
    expect(request).toMatchObject({ id: 7, title: "Payments are down" });
    for (const kept of ["impact", "monitors", "agents", "incidentId", "postMortem"])
      expect(request?.[kept]).toBeUndefined();
  });

  test("keep their agents where monitors alone are sent", async () => {
    await put({ monitors: [8] });
    expect(lastAsked("updateAnnouncement")).toEqual({ id: 7, monitors: [8] });
    await put({ agents: [] });
    expect(lastAsked("updateAnnouncement")).toEqual({ id: 7, agents: [] });
  });

  test("lose their incident and post-mortem by null", async () => {
    await put({ incidentId: null, postMortem: null });
    expect(lastAsked("updateAnnouncement")).toMatchObject({ incidentId: null, postMortem: null });
  });

  test("take updates with a state and a text", async () => {
    const { status, body } = await post("/7/updates", { state: "resolved", text: "It is **over**." });
    expect([status, body["message"]]).toEqual([201, "Update posted"]);
    expect(lastAsked("addAnnouncementUpdate")).toMatchObject({ id: 7, state: "resolved", text: "It is **over**." });
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
  ])("%s of one that does not exist is 404", async (method, path, body) => {
    for (const id of ["9", "0", "abc", "99999999999"]) {
      const answer = await app.ask(method, `/api/announcements/${id}${path}`, { as: "user", body });
      expect([answer.status, answer.body["message"]]).toEqual([404, "Announcement does not exist"]);
    }
  });

  test("are deleted", async () => {
    const { status, body } = await app.ask("DELETE", "/api/announcements/7", { as: "user" });
    expect([status, body["message"]]).toEqual([200, "Announcement successfully deleted"]);
  });
});
