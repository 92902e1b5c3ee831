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
const reminders = async () => (await bed.notifications()).filter((text) => text.includes("reminder"));
const dueAt = async () => (await bed.db("incidents").where({ id: "m1" }).first())?.reminderDueAtMs;

test("sends a reminder that is due during a snooze once, at its end", async () => {
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + 2 * hourMs);
  for (let each = 1; each < 12; each++) await bed.pass(10 * minuteMs);
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
  expect(await bed.decided()).toContain(`m1 reminder:1 to ${chat}: held snoozed`);
  await bed.pass(10 * minuteMs);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
  await bed.pass(30 * minuteMs);
  expect(await reminders()).toEqual([...toBoth("m1 reminder:1"), ...toBoth("m1 reminder:2")]);
});

test("a snooze defers openings and flapping, but not closings", async () => {
  await bed.maintain("monitor:1", noonMs, noonMs + 10 * minuteMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  await snooze(noonMs + hourMs);
  await bed.pass(10 * minuteMs);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held snoozed`);
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1 }));
  expect(await bed.notifications()).toEqual(toBoth("m2 opened"));
  await bed.pass(50 * minuteMs);
  const both = [...toBoth("m1 opened"), ...toBoth(`m1 flapping:${noonMs + 1}`)];
  expect((await bed.notifications()).filter((text) => text.startsWith("m1")).toSorted()).toEqual(both.toSorted());
  await snooze(noonMs + 3 * hourMs);
  await bed.apply(changeOf("closed"));
  expect((await bed.notifications()).slice(-2)).toEqual(toBoth("m1 closed"));
});

test("does not send an incident that recovers during a snooze before it was sent", async () => {
  await bed.maintain("monitor:1", noonMs, noonMs + minuteMs);
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + hourMs);
  await bed.pass(10 * minuteMs);
  await bed.apply(changeOf("closed"));
  await bed.pass(2 * hourMs);
  expect(await bed.notifications()).toEqual([]);
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: skipped ended_before`);
});

test("alerts deferred by a snooze follow its end, and are due when a user ends it", async () => {
  await bed.apply(changeOf("opened"));
  await snooze(noonMs + 2 * hourMs);
  await bed.pass(30 * minuteMs);
  const deferrals = () => bed.db("decisions").where({ outcome: "held" }).pluck<number[]>("until_ms");
  expect(await deferrals()).toEqual([noonMs + 2 * hourMs, noonMs + 2 * hourMs]);
  await snooze(noonMs + 3 * hourMs);
  expect(await deferrals()).toEqual([noonMs + 3 * hourMs, noonMs + 3 * hourMs]);
  await bed.pass(2 * hourMs);
  expect(await reminders()).toEqual([]);
  await snooze();
  await bed.pass(0);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});

test("repeated or reordered snooze events have no effect", async () => {
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

test("undoing an acknowledgement resumes reminders, one cooldown after the last notification", async () => {
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

test("accepts an acknowledgement without a revision, and a later undo with one", async () => {
  await bed.apply(changeOf("opened"));
  await bed.apply(changeOf("acknowledged", { hasFacts: false }));
  expect(await dueAt()).toBeNull();
  await bed.apply(byUser("unacknowledged"));
  expect(await bed.apply(changeOf("acknowledged", { hasFacts: false }))).toBe(0);
  expect(await dueAt()).toBe(noonMs + 30 * minuteMs);
});

test("a silence defers all alerts of its target until it ends, and none of others", async () => {
  await bed.silence("monitor:1", noonMs + hourMs);
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }), changeOf("opened", { of: "agent:1" }));
  expect(await bed.notifications()).toEqual(toBoth("m2 opened"));
  expect(await bed.decided()).toContain(`m1 opened to ${hook}: held silenced`);
  await bed.pass(hourMs);
  expect((await bed.notifications()).filter((text) => text.startsWith("m1"))).toEqual(toBoth("m1 opened"));
});

test("ending or extending a silence moves the alerts it deferred", async () => {
  await bed.silence("monitor:1", noonMs + hourMs);
  await bed.apply(changeOf("opened"));
  await bed.silence("monitor:1", noonMs + 2 * hourMs);
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual([]);
  await bed.silence("monitor:1", 0);
  await bed.pass(0);
  expect(await bed.notifications()).toEqual(toBoth("m1 opened"));
});

test("a silence does not defer the closing of an incident that was sent, and leaves one reminder", async () => {
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  for (const target of ["monitor:1", "monitor:2"]) await bed.silence(target, noonMs + 3 * hourMs);
  await bed.apply(changeOf("closed", { of: "monitor:2" }));
  expect((await bed.notifications()).slice(-2)).toEqual(toBoth("m2 closed"));
  for (let each = 0; each < 18; each++) await bed.pass(10 * minuteMs);
  expect(await reminders()).toEqual(toBoth("m1 reminder:1"));
});
