import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";

let bed: DecidingBed;
let chat: number;
beforeEach(async () => {
  bed = await openBed();
  chat = await bed.channel();
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 30 });
});
afterEach(() => bed.db.destroy());

const dueAt = async (id = "m1") => (await bed.db("incidents").where({ id }).first())?.reminderDueAtMs;

test("sends numbered reminders of an open incident after each cooldown", async () => {
  await bed.apply(changeOf("opened"));
  expect(await dueAt()).toBe(noonMs + 30 * minuteMs);
  await bed.pass(30 * minuteMs - 1);
  expect(await bed.notifications()).toHaveLength(1);
  await bed.pass(1);
  await bed.pass(30 * minuteMs);
  expect(await bed.notifications()).toEqual([
    `m1 opened to ${chat}`,
    `m1 reminder:1 to ${chat}`,
    `m1 reminder:2 to ${chat}`,
  ]);
  expect(await bed.db("alerts").where({ moment: "reminder:2" }).first()).toMatchObject({
    kind: "down",
    facts: { kind: "down", reminder: 2, openedAtMs: noonMs },
  });
});

test("a notifier that was down sends one reminder, not one for each that it missed", async () => {
  await bed.apply(changeOf("opened"));
  await bed.pass(5 * 60 * minuteMs);
  await bed.pass(0);
  expect(await bed.notifications()).toHaveLength(2);
  expect(await dueAt()).toBe(noonMs + 5.5 * 60 * minuteMs);
});

test.each([
  ["closed", () => changeOf("closed")],
  ["acknowledged", () => changeOf("acknowledged", { hasFacts: false })],
])("sends no reminders of an incident that is %s", async (_, change) => {
  await bed.apply(changeOf("opened"));
  await bed.apply(change());
  expect(await dueAt()).toBeNull();
  const notifications = await bed.notifications();
  await bed.pass(60 * minuteMs);
  expect(await bed.notifications()).toEqual(notifications);
});

test("an acknowledgement stays, with facts from before it, when older events arrive later", async () => {
  await bed.apply(changeOf("opened", { facts: { note: "call Ada" } }));
  await bed.apply(changeOf("acknowledged", { hasFacts: false, facts: {}, atMs: noonMs + 5 }));
  await bed.apply(changeOf("flapping", { facts: { note: "call Ada" } }));
  await bed.pass(60 * minuteMs);
  expect((await bed.notifications()).filter((text) => text.includes("reminder"))).toEqual([]);
  expect(await bed.db("incidents").first()).toMatchObject({
    acknowledgedAtMs: noonMs + 5,
    facts: { note: "call Ada" },
  });
});

test.each([
  ["with a cooldown of 0", { cooldownMinutes: 0 }],
  ["if the event is off", { events: { down: false } }],
])("sends no reminders %s", async (_, settings) => {
  await bed.set("global-monitor", { channels: [chat], ...settings });
  await bed.apply(changeOf("opened"));
  expect(await dueAt()).toBeNull();
});

test("the cooldown of a deferred opening begins when it is sent", async () => {
  const quietHours = { start: "11:00", end: "20:00", timeZone: "UTC" };
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 30, quietHours });
  await bed.apply(changeOf("opened"));
  expect(await dueAt()).toBeNull();
  await bed.pass(8 * 60 * minuteMs);
  expect(await dueAt()).toBe(noonMs + 8.5 * 60 * minuteMs);
});

test("quiet hours defer one reminder to people, while machines get all", async () => {
  const hook = await bed.channel({ type: "webhook" });
  const quietHours = { start: "12:20", end: "20:00", timeZone: "UTC" };
  await bed.set("global-monitor", { channels: [chat, hook], cooldownMinutes: 60, quietHours });
  await bed.apply(changeOf("opened"));
  for (let hour = 1; hour < 8; hour++) await bed.pass(60 * minuteMs);
  const chatted = async () => (await bed.notifications()).filter((text) => text.endsWith(`to ${chat}`));
  expect(await chatted()).toEqual([`m1 opened to ${chat}`]);
  expect((await bed.notifications()).filter((text) => text.endsWith(`to ${hook}`))).toHaveLength(8);
  await bed.pass(60 * minuteMs);
  expect((await chatted()).filter((text) => text.includes("reminder"))).toEqual([`m1 reminder:1 to ${chat}`]);
});

test("acknowledging during quiet hours cancels the deferred reminder", async () => {
  const quietHours = { start: "12:20", end: "20:00", timeZone: "UTC" };
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 60, quietHours });
  await bed.apply(changeOf("opened"));
  await bed.pass(60 * minuteMs);
  expect(await bed.decided()).toContain(`m1 reminder:1 to ${chat}: held quiet_hours`);
  await bed.apply(changeOf("acknowledged", { hasFacts: false }));
  await bed.pass(9 * 60 * minuteMs);
  expect(await bed.notifications()).toEqual([`m1 opened to ${chat}`]);
});

test("two notifiers send the reminders of many incidents once each", async () => {
  await bed.apply(...Array.from({ length: 40 }, (_, index) => changeOf("opened", { of: `monitor:${index + 1}` })));
  bed.clock.advance(30 * minuteMs);
  await Promise.all([bed.pass(0), bed.pass(0), bed.pass(0)]);
  const reminders = (await bed.notifications()).filter((text) => text.includes("reminder"));
  expect(reminders).toHaveLength(40);
  expect(new Set(reminders).size).toBe(40);
});
