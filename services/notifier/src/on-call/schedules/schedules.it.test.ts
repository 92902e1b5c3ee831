import { fakeClock, type FakeClock } from "@sonde/kit/time/clock";
import type { ScheduleInput } from "@sonde/proto/http/on-call/schedules";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Context } from "../../context.ts";
import { openTestContext } from "../../testing/context.ts";
import type { UserAccount } from "../people.ts";
import { listUnreachable, markUnreachable } from "../reach.ts";
import { createSchedule, getSchedule, listSchedules, makeFeed, removeSchedule, updateSchedule } from "./schedules.ts";
import { createOverride, deleteOverride, listGaps, listShifts, previewShifts, readFeed } from "./shifts.ts";

let ctx: Context;
let clock: FakeClock;
const at = (text: string) => Date.parse(`2026-05-${text}:00Z`);
const iso = (text: string) => new Date(at(text)).toISOString();
beforeEach(async () => {
  clock = fakeClock(at("04T12:00"));
  ctx = await openTestContext(clock);
});
afterEach(() => ctx.db.destroy());

const weekly: ScheduleInput = {
  name: "Primary",
  timeZone: "UTC",
  layers: [
    {
      members: [1, 2],
      every: { n: 1, unit: "week" },
      handoff: { weekday: 1, time: "09:00" },
      from: "2026-05-04",
    },
  ],
};
const nobody = { ...weekly, name: "Later", layers: [{ ...weekly.layers[0]!, from: "2026-05-10" }] };

test("a schedule says who is on call now and next, and can be changed and deleted", async () => {
  const made = await createSchedule(ctx, weekly);
  expect(made).toMatchObject({
    ...weekly,
    now: { userId: 1, until: iso("11T09:00") },
    next: { userId: 2, start: iso("11T09:00") },
    overrides: [],
    hasFeed: false,
  });
  const changed = await updateSchedule(ctx, made.id, { name: "First line" });
  expect(changed).toMatchObject({ name: "First line", layers: weekly.layers });
  expect(await getSchedule(ctx, made.id)).toEqual(changed);
  await removeSchedule(ctx, made.id);
  await expect(getSchedule(ctx, made.id)).rejects.toMatchObject({ code: "not_found" });
  await expect(removeSchedule(ctx, made.id)).rejects.toMatchObject({ code: "not_found" });
});

test("schedules are searched, sorted and paged", async () => {
  for (const name of ["Backend", "Apps", "Database"]) await createSchedule(ctx, { ...weekly, name });
  const names = async (query: object) =>
    (await listSchedules(ctx, { page: 1, pageSize: 50, ...query })).schedules.map(({ name }) => name);
  expect(await names({})).toEqual(["Apps", "Backend", "Database"]);
  expect(await names({ sort: "-name" })).toEqual(["Database", "Backend", "Apps"]);
  expect(await names({ sort: "createdAt" })).toEqual(["Backend", "Apps", "Database"]);
  expect(await names({ search: "BA" })).toEqual(["Backend", "Database"]);
  expect(await listSchedules(ctx, { page: 2, pageSize: 2 })).toMatchObject({
    schedules: [{ name: "Database" }],
    total: 3,
  });
});

test("lists say if who is on call has no contacts and no mail, also of every schedule at once", async () => {
  const { id } = await createSchedule(ctx, weekly);
  await createSchedule(ctx, nobody);
  const reach = async (ada: Partial<UserAccount> | null) => {
    const people = async () => new Map([[1, ada && { id: 1, name: "Ada", ...ada }]]);
    const { schedules } = await markUnreachable(
      { db: ctx.db, people },
      await listSchedules(ctx, { page: 1, pageSize: 9 }),
    );
    const listed = await listUnreachable({ ...ctx, people });
    expect(listed.length > 0).toBe(schedules.some(({ now }) => now?.isUnreachable === true));
    return listed;
  };
  const unreachable = { scheduleId: id, name: "Primary", userId: 1 };
  expect(await reach({})).toEqual([{ ...unreachable, person: "Ada" }]);
  // Without a channel for mail, an address is of no use.
  expect(await reach({ email: "ada@example.com" })).toHaveLength(1);
  expect(await reach(null)).toEqual([{ ...unreachable, person: "#1" }]);
  const at = { createdAtMs: 1, updatedAtMs: 1 };
  await ctx.db("channels").insert({ name: "Mail", type: "smtp", config: "{}", enabled: true, ...at });
  expect(await reach({ email: "ada@example.com" })).toEqual([]);
  expect(await reach({})).toHaveLength(1);
  await ctx.db("contacts").insert({ userId: 1, value: { rules: [{}] }, updatedAtMs: 1 });
  expect(await reach({})).toEqual([]);
});

test("a hundred schedules are the limit", async () => {
  for (let index = 0; index < 100; index++) await createSchedule(ctx, weekly);
  await expect(createSchedule(ctx, weekly)).rejects.toMatchObject({ code: "impossible", params: { max: 100 } });
});

test("an override replaces the layers until it is deleted", async () => {
  const { id } = await createSchedule(ctx, weekly);
  const override = await createOverride(ctx, { id, userId: 3, start: iso("04T11:00"), end: iso("05T00:00") });
  expect(await getSchedule(ctx, id)).toMatchObject({
    overrides: [override],
    now: { userId: 3, until: iso("05T00:00") },
    next: { userId: 1, start: iso("05T00:00") },
  });
  const period = { id, from: iso("04T10:00"), to: iso("05T10:00") };
  expect((await listShifts(ctx, period)).shifts).toEqual([
    [1, at("04T10:00"), at("04T11:00"), false],
    [3, at("04T11:00"), at("05T00:00"), true],
    [1, at("05T00:00"), at("05T10:00"), false],
  ]);
  await deleteOverride(ctx, { id, overrideId: override.id });
  expect((await listShifts(ctx, period)).shifts).toHaveLength(1);
  await expect(deleteOverride(ctx, { id, overrideId: override.id })).rejects.toMatchObject({ code: "not_found" });
});

test("an override that overlaps another is rejected with the times of the other, in the zone of the schedule", async () => {
  const { id } = await createSchedule(ctx, { ...weekly, timeZone: "Europe/Berlin" });
  await createOverride(ctx, { id, userId: 3, start: iso("06T00:00"), end: iso("07T00:00") });
  await expect(
    createOverride(ctx, { id, userId: 1, start: iso("06T23:00"), end: iso("08T00:00") }),
  ).rejects.toMatchObject({
    code: "conflict",
    message: "Another override is from 2026-05-06 02:00 to 2026-05-07 02:00 (Europe/Berlin)",
    details: [{ path: "start" }],
  });
  await createOverride(ctx, { id, userId: 1, start: iso("07T00:00"), end: iso("08T00:00") });
});

test.each([
  ["ends before it starts", iso("06T00:00"), iso("05T00:00")],
  ["is longer than 30 days", iso("06T00:00"), "2026-06-05T00:00:01.000Z"],
  ["is over", iso("03T00:00"), iso("04T12:00")],
])("an override that %s is rejected", async (_, start, end) => {
  const { id } = await createSchedule(ctx, weekly);
  const made = (async () => createOverride(ctx, { id, userId: 3, start, end }))();
  await expect(made).rejects.toMatchObject({ code: "invalid", details: [{ path: "end" }] });
});

test("an override of another user cannot be deleted by someone who may only change their own", async () => {
  const { id } = await createSchedule(ctx, weekly);
  const { id: overrideId } = await createOverride(ctx, { id, userId: 3, start: iso("06T00:00"), end: iso("07T00:00") });
  await expect(deleteOverride(ctx, { id, overrideId, onlyOf: 1 })).rejects.toMatchObject({ code: "forbidden" });
  await deleteOverride(ctx, { id, overrideId, onlyOf: 3 });
});

test("periods are limited to 400 days and must be in order", async () => {
  const { id } = await createSchedule(ctx, weekly);
  const between = (from: string, to: string) => listShifts(ctx, { id, from, to });
  await expect(between("2026-01-01T00:00:00Z", "2027-02-06T00:00:00Z")).rejects.toMatchObject({ code: "invalid" });
  await expect(between("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")).rejects.toMatchObject({ code: "invalid" });
  expect((await between("2026-01-01T00:00:00Z", "2027-02-05T00:00:00Z")).shifts.length).toBeGreaterThan(30);
});

test("a rotation by the hour fits into one response for 400 days", () => {
  const layer = { ...weekly.layers[0]!, every: { n: 1, unit: "hour" as const }, from: "2020-01-01" };
  const period = { from: "2026-01-01T00:00:00Z", to: "2027-02-05T00:00:00Z" };
  const { shifts } = previewShifts({ timeZone: "UTC", layers: [layer], ...period });
  expect(shifts).toHaveLength(400 * 24);
  expect(JSON.stringify(shifts).length).toBeLessThan(1024 * 1024);
});

test("gaps of the next seven days are listed for all schedules", async () => {
  await createSchedule(ctx, weekly);
  const { id } = await createSchedule(ctx, nobody);
  expect(await listGaps(ctx)).toEqual({
    gaps: [{ scheduleId: id, name: "Later", start: iso("04T12:00"), end: iso("11T09:00") }],
  });
});

test("a calendar feed has a token that is stored as a hash and can be replaced", async () => {
  const { id } = await createSchedule(ctx, weekly);
  const { token } = await makeFeed(ctx, id);
  const feed = await readFeed(ctx, { id, token });
  expect(feed).toMatchObject({ name: "Primary", gaps: [[at("04T00:00") - 30 * 86_400_000, at("04T09:00")]] });
  expect(feed.shifts).toHaveLength(13);
  expect(JSON.stringify(await ctx.db("schedules").select())).not.toContain(token);
  expect(await getSchedule(ctx, id)).toMatchObject({ hasFeed: true });
  const replaced = await makeFeed(ctx, id);
  await expect(readFeed(ctx, { id, token })).rejects.toMatchObject({ code: "not_found" });
  await expect(readFeed(ctx, { id, token: replaced.token })).resolves.toMatchObject({ name: "Primary" });
});
