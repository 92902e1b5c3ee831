import { AppError } from "@sonde/kit/errors";
import { scheduleImportAnswer } from "@sonde/proto/http/on-call/import";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../../testing/test-app.ts";

let app: TestApp;
beforeAll(async () => void (app = await startTestApp()));
beforeEach(() => void (app.fakes.calls.length = 0));
afterEach(() => app.fakes.heal());
afterAll(() => app.stop());

const rotation = (username: string) => ({
  name: "Days",
  type: "weekly",
  length: 1,
  startDate: "2026-01-05T08:00:00Z",
  participants: [{ type: "user", username }],
});
const opsgenie = (name: string, ...usernames: string[]) => ({
  data: [{ name, timezone: "Europe/Berlin", rotations: usernames.map(rotation) }],
});
async function send(data: unknown, { source = "opsgenie", query = "" } = {}) {
  const { status, body } = await app.ask("POST", `/api/on-call/import${query}`, { as: "user", body: { source, data } });
  return { status, body, read: status === 200 ? scheduleImportAnswer.parse(body) : undefined };
}
const requestsOf = (method: string) =>
  app.fakes.calls.flatMap((call) => (call.method === method ? [call.request] : []));

test("a dry run plans new and changed schedules, and lists people without an account", async () => {
  const { read } = await send(opsgenie("Backend", "ada", "nobody@example.com"), { query: "?dryRun=true" });
  expect(read).toMatchObject({
    dryRun: true,
    plan: { create: ["schedules.Backend"], update: [], conflicts: [] },
    unmatched: ["nobody@example.com"],
    notes: [{ schedule: "Backend", text: "Where rotations overlap, the later one is on call" }],
  });
  expect(requestsOf("createSchedule")).toEqual([]);
});

test("an import creates schedules, and updates those with the same name", async () => {
  await send(opsgenie("Backend", "ada"));
  expect(requestsOf("createSchedule")).toMatchObject([{ name: "Backend", layers: [{ members: [1] }] }]);
  const { read } = await send(opsgenie("Primary", "ada"));
  expect(read?.plan.update.map(({ path }) => path)).toEqual(["schedules.Primary.layers"]);
  expect(requestsOf("updateSchedule")).toMatchObject([{ id: 7, layers: [{ members: [1] }] }]);
});

test("a schedule whose people are all unknown is not imported", async () => {
  const { read } = await send(opsgenie("Backend", "nobody@example.com"));
  expect(read?.plan).toMatchObject({
    create: [],
    conflicts: [{ path: "schedules.Backend", message: "Nobody in this schedule has an account here" }],
  });
});

test("shifts of a calendar become overrides, and refused ones are reported", async () => {
  const day = (ahead: number) =>
    `${new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "")}T080000Z`;
  const event = (uid: string) =>
    ["BEGIN:VEVENT", `UID:${uid}`, `DTSTART:${day(2)}`, `DTEND:${day(3)}`, "SUMMARY:ada", "END:VEVENT"].join("\r\n");
  const calendar = ["BEGIN:VCALENDAR", "X-WR-CALNAME:Rota", event("1"), event("2"), "END:VCALENDAR"].join("\r\n");
  let created = 0;
  const { createOverride } = app.fakes.handlers.onCall;
  app.fakes.handlers.onCall.createOverride = async (input, call) => {
    if (created++ > 0) throw new AppError("conflict", "On-call schedule does not exist");
    return createOverride(input, call);
  };
  const { read } = await send(calendar, { source: "ical" });
  expect(read?.plan.create).toEqual(["schedules.Rota"]);
  expect(read?.plan.conflicts.map(({ path }) => path)).toEqual(["schedules.Rota.overrides"]);
  expect(created).toBe(2);
});

test("data of another product is refused", async () => {
  const { status, body } = await send({ schedules: [] });
  expect([status, body["errors"]]).toEqual([
    422,
    [{ path: "data", message: "There is no schedule of this product in the data" }],
  ]);
});
