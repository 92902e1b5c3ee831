import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, noonMs, openBed } from "../testing/bed.ts";

const hourMs = 60 * minuteMs;
let bed: DecidingBed;
let chat: number;
let hook: number;
let revision: number;
beforeEach(async () => {
  bed = await openBed();
  revision = 0;
  chat = await bed.channel();
  hook = await bed.channel({ type: "webhook" });
  await bed.set("global-monitor", { channels: [chat, hook], cooldownMinutes: 30 });
});
afterEach(() => bed.db.destroy());

const toBoth = (text: string) => [`${text} to ${chat}`, `${text} to ${hook}`];
type People = { acknowledgedAtMs?: number; snoozedUntilMs?: number; revision?: number };
const byUser = (name: "acknowledged" | "unacknowledged" | "snoozed", given: People = {}) =>
  changeOf(name, { hasFacts: false, atMs: bed.clock.now(), incident: { revision: ++revision, ...given } });
const snooze = (untilMs?: number) => bed.apply(byUser("snoozed", { snoozedUntilMs: untilMs }));
const reminders = async () => (await bed.told()).filter((text) => text.includes("reminder"));
const dueAt = async () => (await bed.db("incidents").where({ id: "m1" }).first())?.reminderDueAtMs;

test("a reminder that is due in a snooze comes once, at its end", async () => {
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + 2 * hourMs);
  for (let each = 1; each < 12; each++) await bed.pass(10 * minuteMs);
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
  expect(await bed.decided()).toContain(`m1 reminder:1 to ${chat}: held snoozed`);
  await bed.pass(10 * minuteMs);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
  await bed.pass(30 * minuteMs);
  expect(await reminders()).toEqual([...toBoth("m1 reminder:1"), ...toBoth("m1 reminder:2")]);
});

test("an opening that was not sent yet, and flapping, wait for the end; a closing does not", async () => {
  await bed.maintain("monitor:1", noonMs, noonMs + 10 * minuteMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  await snooze(noonMs + hourMs);
  await bed.pass(10 * minuteMs);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held snoozed`);
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1 }));
  expect(await bed.told()).toEqual(toBoth("m2 opened"));
  await bed.pass(50 * minuteMs);
  const both = [...toBoth("m1 opened"), ...toBoth(`m1 flapping:${noonMs + 1}`)];
  expect((await bed.told()).filter((text) => text.startsWith("m1")).toSorted()).toEqual(both.toSorted());
  await snooze(noonMs + 3 * hourMs);
  await bed.apply(changeOf("closed"));
  expect((await bed.told()).slice(-2)).toEqual(toBoth("m1 closed"));
});

test("what recovers in a snooze before it was told is told to nobody", async () => {
  await bed.maintain("monitor:1", noonMs, noonMs + minuteMs);
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + hourMs);
  await bed.pass(10 * minuteMs);
  await bed.apply(changeOf("closed"));
  await bed.pass(2 * hourMs);
  expect(await bed.told()).toEqual([]);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: skipped ended_before`);
});

test("what a snooze holds follows its end, and is due once somebody ends it", async () => {
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + 2 * hourMs);
  await bed.pass(30 * minuteMs);
  const held = () => bed.db("decisions").where({ outcome: "held" }).pluck<number[]>("until_ms");
  expect(await held()).toEqual([noonMs + 2 * hourMs, noonMs + 2 * hourMs]);
  await snooze(noonMs + 3 * hourMs);
  expect(await held()).toEqual([noonMs + 3 * hourMs, noonMs + 3 * hourMs]);
  await bed.pass(2 * hourMs);
  expect(await reminders()).toEqual([]);
  await snooze();
  await bed.pass(0);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});

test("events that come again, or in another order, change nothing", async () => {
  await bed.apply(changeOf("opened"));
  const events = [
    byUser("acknowledged", { acknowledgedAtMs: noonMs }),
    byUser("unacknowledged"),
    byUser("snoozed", { snoozedUntilMs: noonMs + hourMs }),
    byUser("snoozed"),
  ];
  await bed.apply(...events);
  for (const event of [...events, ...events.toReversed()]) expect(await bed.apply(event)).toBe(0);
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1, incident: { acknowledgedAtMs: noonMs, revision: 1 } }));
  expect(await bed.db("incidents").first()).toMatchObject({
    acknowledgedAtMs: null,
    snoozedUntilMs: null,
    revision: 4,
  });
  await bed.pass(30 * minuteMs);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});

test("reminders go on where an acknowledgement is taken back: one cooldown after the last message", async () => {
  await bed.apply(changeOf("opened"));
  await bed.pass(10 * minuteMs);
  await bed.apply(byUser("acknowledged", { acknowledgedAtMs: bed.clock.now() }));
  expect(await dueAt()).toBeNull();
  await bed.apply(byUser("unacknowledged"));
  expect(await dueAt()).toBe(noonMs + 30 * minuteMs);
  await bed.apply(byUser("acknowledged", { acknowledgedAtMs: bed.clock.now() }));
  await bed.pass(2 * hourMs);
  expect(await reminders()).toEqual([]);
  await bed.apply(byUser("unacknowledged"));
  await bed.pass(0);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});

test("an acknowledgement of a version that did not count is followed, and may be taken back by this one", async () => {
  await bed.apply(changeOf("opened"));
  await bed.apply(changeOf("acknowledged", { hasFacts: false }));
  expect(await dueAt()).toBeNull();
  await bed.apply(byUser("unacknowledged"));
  expect(await bed.apply(changeOf("acknowledged", { hasFacts: false }))).toBe(0);
  expect(await dueAt()).toBe(noonMs + 30 * minuteMs);
});

test("a silence holds all of its target until it ends, and of no other", async () => {
  await bed.silence("monitor:1", noonMs + hourMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }), changeOf("opened", { of: "agent:1" }));
  expect(await bed.told()).toEqual(toBoth("m2 opened"));
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held silenced`);
  await bed.pass(hourMs);
  expect((await bed.told()).filter((text) => text.startsWith("m1"))).toEqual(toBoth("m1 opened"));
});

test("a silence that is ended, or goes on longer, moves what it holds", async () => {
  await bed.silence("monitor:1", noonMs + hourMs);
  await bed.apply(changeOf("opened"));
  await bed.silence("monitor:1", noonMs + 2 * hourMs);
  await bed.pass(hourMs);
  expect(await bed.told()).toEqual([]);
  await bed.silence("monitor:1", 0);
  await bed.pass(0);
  expect(await bed.told()).toEqual(toBoth("m1 opened"));
});

test("a silence holds no closing of what was told, and keeps its reminders to one", async () => {
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  for (const target of ["monitor:1", "monitor:2"]) await bed.silence(target, noonMs + 3 * hourMs);
  await bed.apply(changeOf("closed", { of: "monitor:2" }));
  expect((await bed.told()).slice(-2)).toEqual(toBoth("m2 closed"));
  for (let each = 0; each < 18; each++) await bed.pass(10 * minuteMs);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});
