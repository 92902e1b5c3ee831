import { AppError, invalid } from "@sonde/kit/errors";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeMaintenance } from "../../testing/fake-status-page.ts";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
afterAll(() => app.stop());
beforeEach(() => void (app.fakes.calls.length = 0));
afterEach(() => app.fakes.heal());

const lastCall = (method: string) => app.fakes.calls.findLast((asked) => asked.method === method)?.request;
const send = (method: string, path: string, body?: object) =>
  app.ask(method, `/api/maintenance${path}`, { as: "user", body });
const input = {
  name: "Upgrade",
  start: "2026-03-01T12:00:00Z",
  end: "2026-03-01T13:00:00Z",
  monitors: [7, 8, 7],
  agents: [3],
};

test("windows are listed, a long page in batches", async () => {
  const { body } = await app.ask("GET", "/api/maintenance?status=scheduled", { as: "viewer" });
  expect(lastCall("listMaintenance")).toMatchObject({ status: "scheduled", page: 1, pageSize: 50 });
  expect(body).toMatchObject({
    total: 1,
    maintenance: [
      {
        id: 7,
        name: "Database upgrade",
        monitors: [7],
        agents: [],
        start: "2026-01-31T13:00:00.000Z",
        end: "2026-01-31T14:00:00.000Z",
        timeZone: "Europe/Berlin",
        rrule: "FREQ=WEEKLY;BYDAY=SU",
        public: true,
        status: "scheduled",
        next: { start: "2026-01-31T13:00:00.000Z", end: "2026-01-31T14:00:00.000Z" },
      },
    ],
  });
  const { statusPage } = app.deps.services;
  const inPieces = await startTestApp({
    services: {
      ...app.deps.services,
      statusPage: {
        ...statusPage,
        listMaintenance: async ({ ids = [] }) =>
          ({
            maintenance: [{ ...fakeMaintenance(7), id: ids[0] ?? 1 }],
            total: 3,
            restIds: ids.length === 0 ? [2, 3] : ids.slice(1),
          }) as never,
      },
    },
  });
  const listed = await inPieces.ask("GET", "/api/maintenance", { as: "viewer" });
  expect((listed.body["maintenance"] as { id: number }[]).map(({ id }) => id)).toEqual([1, 2, 3]);
  await inPieces.stop();
});

test("a window is created with defaults, its monitors and agents once each", async () => {
  const { status, body } = await send("POST", "", input);
  expect([status, body["message"]]).toEqual([201, "Maintenance scheduled"]);
  expect(lastCall("createMaintenance")).toMatchObject({
    name: "Upgrade",
    start: input.start,
    end: input.end,
    timeZone: "UTC",
    public: true,
    monitors: [7, 8],
    agents: [3],
    tags: [],
  });
});

test("a window covers up to twenty tags, each once, and shows the next occurrences", async () => {
  const { body } = await send("POST", "", { ...input, tags: ["shop", "db", "shop"] });
  expect(lastCall("createMaintenance")).toMatchObject({ tags: ["shop", "db"] });
  expect(body["maintenance"]).toMatchObject({ tags: [], upcoming: [fakeMaintenance(7).next] });
  const many = await send("POST", "", { ...input, tags: Array.from({ length: 21 }, (_, index) => `t${index}`) });
  expect([many.status, many.body["errors"]]).toMatchObject([400, [{ path: "tags" }]]);
});

test("the occurrences of a period are listed, of at most two months", async () => {
  const ask = (query: string) => app.ask("GET", `/api/maintenance/occurrences?${query}`, { as: "viewer" });
  const period = { from: "2026-03-01T00:00:00Z", until: "2026-04-01T00:00:00Z" };
  const { body } = await ask(new URLSearchParams(period).toString());
  expect(lastCall("listOccurrences")).toEqual(period);
  expect(body).toMatchObject({ occurrences: [{ id: 7, name: "Database upgrade", start: period.from }], more: false });
  for (const until of ["2026-03-01T00:00:00Z", "2026-05-03T00:00:00Z"]) {
    const refused = await ask(new URLSearchParams({ ...period, until }).toString());
    expect([refused.status, refused.body["errors"]]).toMatchObject([400, [{ path: "until" }]]);
  }
  expect((await ask("from=2026-03-01")).status).toBe(400);
});

test("a change is passed on as sent", async () => {
  expect((await send("PUT", "/7", { agents: [] })).body["message"]).toBe("Maintenance updated");
  expect(lastCall("updateMaintenance")).toEqual({ id: 7, agents: [] });
  await send("PUT", "/7", { name: "Other" });
  expect(lastCall("updateMaintenance")).toEqual({ id: 7, name: "Other" });
});

test("one window is read by id", async () => {
  const one = (id: number) => app.ask("GET", `/api/maintenance/${id}`, { as: "viewer" });
  expect((await one(7)).body).toMatchObject({ maintenance: { id: 7, name: "Database upgrade" } });
  const missing = await one(8);
  expect([missing.status, missing.body["message"]]).toEqual([404, "Maintenance does not exist"]);
});

test("a running occurrence can be ended, and a window deleted", async () => {
  expect((await send("POST", "/7/end", {})).body).toMatchObject({
    message: "Maintenance ended",
    maintenance: { id: 7 },
  });
  expect((await send("DELETE", "/7")).body["message"]).toBe("Maintenance successfully deleted");
  const missing = await send("DELETE", "/9");
  expect([missing.status, missing.body["message"]]).toEqual([404, "Maintenance does not exist"]);
});

test.each([
  ["an unknown field", { ...input, recurs: true }, "recurs"],
  ["an offset in place of a zone", { ...input, timeZone: "+08:00" }, "timeZone"],
  ["a start that is no instant", { ...input, start: "tomorrow" }, "start"],
  ["an id that is none", { ...input, monitors: [0] }, "monitors.0"],
  ["too long a name", { ...input, name: "x".repeat(101) }, "name"],
])("%s is rejected with its path, without calling a service", async (_what, body, path) => {
  const answer = await send("POST", "", body);
  expect(answer.status).toBe(400);
  expect(answer.body["errors"]).toMatchObject([{ path }]);
  expect(app.fakes.calls).toEqual([]);
});

test("the service's errors are in the requested language", async () => {
  app.fakes.refuse("createMaintenance", invalid([{ path: "rrule", message: "It can recur at most once a day" }]));
  const answer = await app.ask("POST", "/api/maintenance", {
    as: "user",
    body: input,
    headers: { "accept-language": "zh-CN" },
  });
  expect(answer.body["errors"]).toEqual([{ path: "rrule", message: "每天最多重复一次" }]);
  const details = [{ path: "monitors.0", message: "There is no monitor with ID {id}", params: { id: 7 } }] as const;
  app.fakes.refuse("createMaintenance", new AppError("impossible", "The request is not valid", { details }));
  const unknown = await send("POST", "", input);
  expect([unknown.status, unknown.body["errors"]]).toEqual([
    422,
    [{ path: "monitors.0", message: "There is no monitor with ID 7" }],
  ]);
});
