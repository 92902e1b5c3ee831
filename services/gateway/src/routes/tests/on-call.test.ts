import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { feedToken } from "../../testing/fake-on-call.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => void (app.fakes.calls.length = 0));
afterAll(() => app.stop());

const path = "/api/on-call/schedules";
const layer = { members: [1, 2], every: { n: 1, unit: "week" }, handoff: { time: "09:00" }, from: "2026-01-01" };
const schedule = { name: "Primary", timeZone: "Europe/Berlin", layers: [layer] };
const shift = { start: "2026-02-01T09:00:00Z", end: "2026-02-02T09:00:00Z" };
const requestOf = (method: string) => app.fakes.calls.find((asked) => asked.method === method)?.request;

test("schedules are listed with the names of their users, without those of deleted ones", async () => {
  const { body } = await app.ask("GET", path, { as: "viewer" });
  expect(body).toMatchObject({ total: 1, schedules: [{ id: 7, now: { userId: 2 } }] });
  expect(body["people"]).toEqual([{ id: 1, name: "ada" }, { id: 2, name: "ugo" }, { id: 99 }]);
});

test("a schedule is created with its members", async () => {
  const { status, body } = await app.ask("POST", path, { as: "user", body: schedule });
  expect([status, body["message"]]).toEqual([201, "Schedule created"]);
  expect(requestOf("createSchedule")).toEqual(schedule);
});

test.each([
  ["POST", path],
  ["PUT", `${path}/7`],
])("%s %s names each member who does not exist", async (method, where) => {
  const layers = [layer, { ...layer, members: [1, 99] }];
  const { status, body } = await app.ask(method, where, { as: "user", body: { ...schedule, layers } });
  expect(status).toBe(422);
  expect(body["errors"]).toEqual([{ path: "layers.1.members.1", message: "There is no user with the id 99" }]);
  expect(app.fakes.calls.map((call) => call.method)).toEqual(["people"]);
});

test("shifts and gaps of a period are listed", async () => {
  const { body } = await app.ask("GET", `${path}/7/shifts?from=2026-01-31T12:00:00Z&to=2026-02-02T04:00:00Z`, {
    as: "viewer",
  });
  expect(body).toMatchObject({
    shifts: [
      { userId: 2, start: "2026-01-31T12:00:00.000Z", end: "2026-02-01T12:00:00.000Z", source: "layer" },
      { userId: 99, source: "override" },
    ],
    gaps: [{ start: "2026-02-02T00:00:00.000Z", end: "2026-02-02T04:00:00.000Z" }],
    people: [{ id: 2, name: "ugo" }, { id: 99 }],
  });
});

test("a viewer may take a shift, but not give one to somebody else", async () => {
  const own = await app.ask("POST", `${path}/7/overrides`, { as: "viewer", body: { userId: 3, ...shift } });
  expect(own.status).toBe(201);
  expect(requestOf("createOverride")).toEqual({ id: 7, userId: 3, ...shift });
  const other = await app.ask("POST", `${path}/7/overrides`, { as: "viewer", body: { userId: 2, ...shift } });
  expect([other.status, other.body["message"]]).toEqual([403, "You can only change your own shifts"]);
});

test("a user may give a shift to anyone who exists", async () => {
  const body = { userId: 1, ...shift };
  expect((await app.ask("POST", `${path}/7/overrides`, { as: "user", body })).status).toBe(201);
  const unknown = await app.ask("POST", `${path}/7/overrides`, { as: "user", body: { ...body, userId: 99 } });
  expect([unknown.status, unknown.body["errors"]]).toEqual([
    422,
    [{ path: "userId", message: "There is no user with the id 99" }],
  ]);
});

test("a viewer may only delete their own overrides", async () => {
  await app.ask("DELETE", `${path}/7/overrides/4`, { as: "viewer" });
  await app.ask("DELETE", `${path}/7/overrides/4`, { as: "user" });
  const asked = app.fakes.calls.filter(({ method }) => method === "deleteOverride").map(({ request }) => request);
  expect(asked).toEqual([
    { id: 7, overrideId: 4, onlyOf: 3 },
    { id: 7, overrideId: 4 },
  ]);
});

test("the address of the calendar feed works without an account, and only with its token", async () => {
  const { body } = await app.ask("POST", `${path}/7/feed`, { as: "user" });
  const address = new URL(String(body["url"]));
  expect(address.pathname + address.search).toBe(`/api/on-call/schedules/7.ics?token=${feedToken}`);
  const feed = await fetch(`${app.url}${address.pathname}${address.search}`);
  expect([feed.status, feed.headers.get("content-type")]).toEqual([200, "text/calendar; charset=utf-8"]);
  expect(await feed.text()).toContain("SUMMARY:ugo · Primary\r\n");
  expect((await fetch(`${app.url}${address.pathname}?token=wrong`)).status).toBe(404);
  expect((await fetch(`${app.url}${address.pathname}`)).status).toBe(400);
});

test("people who can be on call are found by those who may write", async () => {
  const { body } = await app.ask("GET", "/api/on-call/people?search=a", { as: "user" });
  expect(body["people"]).toContainEqual({ id: 1, name: "ada" });
  expect(requestOf("people")).toEqual({ search: "a" });
});
