import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changeOf, type DecidingBed, minuteMs, noonMs, openBed } from "../testing/bed.ts";

const hourMs = 60 * minuteMs;
let bed: DecidingBed;
let chat: number;
let lead: number;
beforeEach(async () => {
  bed = await openBed();
  chat = await bed.channel();
  lead = await bed.channel({ name: "lead" });
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 0 });
});
afterEach(() => bed.db.destroy());

const step = (notify: string[], given: object = {}) => ({ after: 5, notify, ...given });
const toLead = (given: object = {}) => step([`channel:${lead}`], given);
const acknowledged = (by: string[], revision = 1) =>
  changeOf("acknowledged", { hasFacts: false, incident: { acknowledgedBy: by, revision } });
const unacknowledged = (revision = 2) =>
  changeOf("unacknowledged", { hasFacts: false, incident: { acknowledgedBy: [], revision } });
const steps = async () => (await bed.notifications()).filter((text) => text.includes(" step:"));
const decidedSteps = async () => (await bed.decided()).filter((text) => text.includes(" step:"));

/** A user with a contact per delay. Returns their channels. */
async function person(id: number, rules: { after: number; urgency?: string }[], given: object = {}) {
  const channels = await Promise.all(rules.map((_, at) => bed.channel({ name: `user ${id} · ${at}`, userId: id })));
  const stored = rules.map((rule, at) => ({ urgency: "high", via: "ntfy", ...rule, channelId: channels[at] }));
  const value = JSON.stringify({ timeZone: "UTC", night: null, rules: stored, ...given });
  await bed.db("contacts").insert({ userId: id, value, updatedAtMs: 0 });
  bed.person(id, { name: `user ${id}` });
  return channels as [number, ...number[]];
}

/** A schedule in which users 1 and 2 change each noon from the given day on. */
async function schedule(from = "2026-05-04"): Promise<number> {
  const layer = { members: [1, 2], every: { n: 1, unit: "day" }, handoff: { time: "12:00" }, from };
  const value = JSON.stringify({ timeZone: "UTC", layers: [layer] });
  const row = { name: "Ops", value, createdAtMs: 0, updatedAtMs: 0 };
  const [made] = await bed.db("schedules").insert(row).returning<{ id: number }[]>("id");
  return made?.id ?? 0;
}

test("takes each step after its delay, once, and repeats", async () => {
  await bed.policy({ name: "Ops", steps: [toLead(), toLead({ after: 10 })], repeat: 1 });
  await bed.apply(changeOf("opened"));
  await bed.pass(5 * minuteMs - 1);
  expect(await steps()).toEqual([]);
  await bed.pass(1);
  expect(await steps()).toEqual([`m1 step:0.0 to ${lead}`]);
  await bed.pass(10 * minuteMs);
  await bed.pass(5 * minuteMs);
  await bed.pass(10 * minuteMs);
  await bed.pass(24 * hourMs);
  expect(await steps()).toEqual(["0.0", "0.1", "1.0", "1.1"].map((at) => `m1 step:${at} to ${lead}`));
  expect(await bed.db("alerts").where({ moment: "step:0.1" }).first()).toMatchObject({
    kind: "down",
    facts: { kind: "down", reminder: 0, step: { policy: "Ops", number: 2 } },
  });
});

test("an incident's own policy replaces that of the settings, unless it was deleted", async () => {
  const other = await bed.channel({ name: "other" });
  const policyId = await bed.policy({ name: "Own", steps: [step([`channel:${other}`])] });
  await bed.policy({ name: "Ops", steps: [toLead()] });
  const burning = (of: string, own: number) =>
    changeOf("opened", { of, incident: { kind: "slo" }, facts: { serviceLevel: "Checkout", policyId: own } });
  await bed.apply(burning("monitor:1", policyId), burning("monitor:2", policyId + 99));
  await bed.pass(5 * minuteMs);
  expect((await steps()).toSorted()).toEqual([`m1 step:0.0 to ${other}`, `m2 step:0.0 to ${lead}`]);
});

test("a repetition waits as long as the longest step if the first one has no delay", async () => {
  await bed.policy({ name: "Ops", steps: [step(["channel:999"], { after: 0 }), toLead({ after: 7 })], repeat: 1 });
  await bed.apply(changeOf("opened"));
  await bed.pass(0);
  await bed.pass(7 * minuteMs - 1);
  expect(await steps()).toEqual([`m1 step:0.1 to ${lead}`]);
  await bed.pass(1);
  expect(await steps()).toEqual(["0.1", "1.1"].map((at) => `m1 step:${at} to ${lead}`));
});

test("three notifiers take the steps of many incidents once each", async () => {
  await bed.policy({ name: "Ops", steps: [toLead()] });
  await bed.apply(...Array.from({ length: 40 }, (_, index) => changeOf("opened", { of: `monitor:${index + 1}` })));
  bed.clock.advance(5 * minuteMs);
  await Promise.all([bed.pass(0), bed.pass(0), bed.pass(0)]);
  expect(await steps()).toHaveLength(40);
  expect(new Set(await steps()).size).toBe(40);
});

test("a repeated opening does not start the policy again", async () => {
  await bed.policy({ name: "Ops", steps: [toLead()] });
  await bed.apply(changeOf("opened"));
  await bed.pass(4 * minuteMs);
  await bed.apply(changeOf("opened"));
  await bed.pass(minuteMs);
  expect(await steps()).toEqual([`m1 step:0.0 to ${lead}`]);
});

test("flapping starts the policy again, with new moments", async () => {
  await bed.policy({ name: "Ops", steps: [toLead({ after: 0 })] });
  await bed.apply(changeOf("opened"));
  await bed.pass(0);
  await bed.apply(changeOf("flapping", { atMs: noonMs + 1 }));
  await bed.pass(0);
  expect(await steps()).toEqual([`m1 step:0.0 to ${lead}`, `m1 step:1.0 to ${lead}`]);
});

test("a closing ends the policy and notifies everyone whom a step notified", async () => {
  const [ada, later] = await person(1, [{ after: 0 }, { after: 10 }]);
  await bed.policy({ name: "Ops", steps: [step(["user:1"]), toLead()] });
  await bed.apply(changeOf("opened"));
  await bed.pass(5 * minuteMs);
  await bed.apply(changeOf("closed"));
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual([
    `m1 opened to ${chat}`,
    `m1 step:0.0 to ${ada}`,
    `m1 closed to ${chat}`,
    `m1 closed to ${ada}`,
  ]);
  expect(await decidedSteps()).toContain(`m1 step:0.0 to ${later}: skipped ended_before`);
});

describe("an acknowledgement", () => {
  test("stops the policy and contacts that are not due yet; an undo continues both", async () => {
    const [ada, later] = await person(1, [{ after: 0 }, { after: 10 }]);
    await bed.policy({ name: "Ops", steps: [step(["user:1"]), toLead({ after: 15 })] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    expect(await decidedSteps()).toEqual([`m1 step:0.0 to ${ada}: sent`, `m1 step:0.0 to ${later}: held waiting`]);
    await bed.apply(acknowledged(["ada"]));
    await bed.pass(5 * minuteMs);
    await bed.pass(hourMs);
    expect(await steps()).toEqual([`m1 step:0.0 to ${ada}`]);
    expect(await decidedSteps()).toEqual([
      `m1 step:0.0 to ${ada}: sent`,
      `m1 step:0.0 to ${later}: skipped acknowledged`,
      "m1 step:0.1 to nobody: skipped acknowledged",
    ]);
    await bed.apply(unacknowledged());
    await bed.pass(0);
    expect(await decidedSteps()).toEqual([
      `m1 step:0.0 to ${ada}: sent`,
      `m1 step:0.0 to ${later}: sent`,
      `m1 step:0.1 to ${lead}: sent`,
    ]);
  });

  test("that is removed after the closing sends nothing more", async () => {
    await person(1, [{ after: 0 }, { after: 10 }]);
    await bed.policy({ name: "Ops", steps: [step(["user:1"]), toLead()] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    await bed.apply(acknowledged(["ada"]));
    await bed.apply(changeOf("closed"));
    await bed.apply(unacknowledged());
    await bed.pass(hourMs);
    expect(await steps()).toHaveLength(1);
  });

  test("before the first step stops it too", async () => {
    await bed.policy({ name: "Ops", steps: [toLead()] });
    await bed.apply(changeOf("opened"));
    await bed.apply(acknowledged(["ada"]));
    await bed.pass(hourMs);
    expect(await decidedSteps()).toEqual(["m1 step:0.0 to nobody: skipped acknowledged"]);
  });

  test("of one user does not stop a step that needs two", async () => {
    await bed.policy({ name: "Ops", steps: [toLead({ needs: 2 }), toLead({ needs: 2 }), toLead()] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    await bed.apply(acknowledged(["ada"]));
    await bed.pass(5 * minuteMs);
    expect(await steps()).toHaveLength(2);
    await bed.apply(acknowledged(["ada", "bob"], 2));
    await bed.pass(5 * minuteMs);
    expect(await steps()).toHaveLength(2);
  });

  test("stops a later step that needs fewer once it was taken", async () => {
    await bed.policy({ name: "Ops", steps: [toLead({ needs: 2 }), toLead(), toLead()] });
    await bed.apply(changeOf("opened"));
    await bed.apply(acknowledged(["ada"]));
    for (let count = 0; count < 3; count += 1) await bed.pass(5 * minuteMs);
    expect(await steps()).toHaveLength(2);
  });
});

describe("recipients", () => {
  test("are who is on call when the step is due", async () => {
    const [ada] = await person(1, [{ after: 0 }]);
    const [bob] = await person(2, [{ after: 0 }]);
    const ops = await schedule();
    await bed.policy({ name: "Ops", steps: [step([`schedule:${ops}`]), step([`schedule:${ops}`], { after: 1_440 })] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    await bed.pass(24 * hourMs);
    expect(await steps()).toEqual([`m1 step:0.0 to ${ada}`, `m1 step:0.1 to ${bob}`]);
  });

  test("an override replaces who is on call, and everyone means all members", async () => {
    const [ada] = await person(1, [{ after: 0 }]);
    const [bob] = await person(2, [{ after: 0 }]);
    const ops = await schedule();
    await bed.db("overrides").insert({ scheduleId: ops, userId: 2, startMs: noonMs, endMs: noonMs + hourMs });
    await bed.policy({ name: "Ops", steps: [step([`schedule:${ops}`]), step([`everyone:${ops}`])] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    await bed.pass(5 * minuteMs);
    expect(await steps()).toEqual([
      `m1 step:0.0 to ${bob}`,
      ...[ada, bob].map((channel) => `m1 step:0.1 to ${channel}`),
    ]);
  });

  test.each([
    ["a gap", async () => [`schedule:${await schedule("2027-01-01")}`]],
    ["a deleted user", async () => (bed.person(9, null), ["user:9"])],
    ["a disabled user", async () => (bed.person(9, { name: "Eve", isDisabled: true }), ["user:9"])],
    ["a deleted channel", async () => ["channel:999"]],
  ])("%s goes to the next step at once", async (_, notify) => {
    await bed.policy({ name: "Ops", steps: [step(await notify()), toLead({ after: 30 })] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    expect(await decidedSteps()).toEqual([
      "m1 step:0.0 to nobody: skipped nobody_on_call",
      `m1 step:0.1 to ${lead}: sent`,
    ]);
  });

  test("a policy that reaches nobody ends, however often it repeats", async () => {
    await bed.policy({ name: "Ops", steps: [step(["channel:999"])], repeat: 9 });
    await bed.apply(changeOf("opened"));
    for (let round = 1; round <= 10; round += 1) {
      await bed.pass(5 * minuteMs);
      expect(await decidedSteps()).toHaveLength(round);
    }
    expect(await bed.db("escalations").first()).toMatchObject({ dueAtMs: null });
  });

  test("a user without contacts is mailed at the account's address, as it is then", async () => {
    const mail = await bed.channel({ type: "smtp", config: JSON.stringify({ host: "mx.test", to: "ops@test.test" }) });
    bed.person(1, { name: "Ada", email: "ada@old.test" });
    await bed.policy({ name: "Ops", steps: [step(["user:1"]), step(["user:1"])] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    bed.person(1, { name: "Ada", email: "ada@new.test" });
    await bed.pass(5 * minuteMs);
    const own = await bed.db("channels").where({ userId: 1 });
    expect(own).toMatchObject([
      { name: "Ada · mail", type: "smtp", throughId: mail, config: { to: "ada@new.test" }, isAccount: true },
    ]);
    expect(await steps()).toEqual(["0.0", "0.1"].map((at) => `m1 step:${at} to ${own[0].id}`));
  });
});

describe("a deferred start", () => {
  const ends: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
    ["maintenance", () => bed.maintain("monitor:1", noonMs, noonMs + hourMs), () => bed.maintain("monitor:1", 0, 0)],
    ["silenced", () => bed.silence("monitor:1", noonMs + hourMs), () => bed.silence("monitor:1", 0)],
  ];
  test.each(ends)("by %s ends with it, and the delay of the first step begins", async (reason, begin, end) => {
    await bed.policy({ name: "Ops", steps: [toLead()] });
    await begin();
    await bed.apply(changeOf("opened"));
    await bed.pass(30 * minuteMs);
    expect(await decidedSteps()).toEqual([`m1 step:0.0 to nobody: held ${reason}`]);
    await end();
    await bed.pass(0);
    await bed.pass(5 * minuteMs - 1);
    expect(await steps()).toEqual([]);
    await bed.pass(1);
    expect(await decidedSteps()).toEqual([`m1 step:0.0 to ${lead}: sent`]);
  });

  test("by a dependency ends when the parent recovers", async () => {
    await bed.policy({ name: "Ops", steps: [toLead({ after: 0 })] });
    await bed.apply(changeOf("opened", { of: "monitor:2" }));
    await bed.apply(changeOf("opened", { facts: { dependsOn: [{ type: "monitor", id: 2 }] } }));
    await bed.pass(hourMs);
    expect(await decidedSteps()).toContain("m1 step:0.0 to nobody: held dependency");
    await bed.apply(changeOf("closed", { of: "monitor:2", atMs: bed.clock.now() }));
    await bed.pass(2 * minuteMs);
    expect(await steps()).toContain(`m1 step:0.0 to ${lead}`);
  });

  test("a snooze defers the steps to come", async () => {
    await bed.policy({ name: "Ops", steps: [toLead(), toLead()] });
    await bed.apply(changeOf("opened"));
    await bed.pass(5 * minuteMs);
    const snoozedUntilMs = noonMs + hourMs;
    await bed.apply(changeOf("snoozed", { hasFacts: false, incident: { snoozedUntilMs, revision: 1 } }));
    await bed.pass(30 * minuteMs);
    expect(await decidedSteps()).toContain("m1 step:0.1 to nobody: held snoozed");
    await bed.pass(25 * minuteMs);
    expect(await steps()).toEqual([`m1 step:0.0 to ${lead}`, `m1 step:0.1 to ${lead}`]);
  });
});

describe("low urgency", () => {
  const quietHours = { start: "11:00", end: "13:00", timeZone: "UTC" };
  const low = { lowUrgency: { monitors: [1] } };

  test("waits for the end of the person's night; high urgency does not", async () => {
    const night = { start: "22:00", end: "07:00" };
    const rules = [{ after: 0 }, { after: 0, urgency: "low" }];
    const [high, quiet] = await person(1, rules, { timeZone: "Pacific/Auckland", night });
    await bed.policy({ name: "Ops", steps: [step(["user:1"], { after: 0 })], ...low });
    await bed.apply(changeOf("opened"));
    await bed.apply(changeOf("opened", { of: "monitor:2" }));
    await bed.pass(0);
    expect(await steps()).toEqual([`m2 step:0.0 to ${high}`]);
    expect(await decidedSteps()).toContain(`m1 step:0.0 to ${quiet}: held low_urgency`);
    expect(await bed.db("decisions").where({ reason: "low_urgency" }).first()).toMatchObject({
      untilMs: Date.parse("2026-05-04T19:00:00Z"),
    });
    await bed.pass(7 * hourMs);
    expect(await steps()).toContain(`m1 step:0.0 to ${quiet}`);
  });

  test("waits for the end of quiet hours, which do not defer other steps", async () => {
    await bed.set("global-monitor", { channels: [], quietHours });
    await bed.policy({ name: "Ops", steps: [toLead({ after: 0 })], ...low });
    await bed.apply(changeOf("opened"));
    await bed.apply(changeOf("opened", { of: "monitor:2" }));
    await bed.pass(0);
    expect(await decidedSteps()).toEqual([`m1 step:0.0 to ${lead}: held quiet_hours`, `m2 step:0.0 to ${lead}: sent`]);
    await bed.pass(hourMs);
    expect(await steps()).toHaveLength(2);
  });
});

test("steps do not delay the reminders of the settings' channels", async () => {
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 10 });
  await bed.policy({ name: "Ops", steps: [toLead(), toLead(), toLead()] });
  await bed.apply(changeOf("opened"));
  for (let count = 0; count < 2; count += 1) await bed.pass(5 * minuteMs);
  expect(await bed.notifications()).toContain(`m1 reminder:1 to ${chat}`);
});

test.each([
  ["are disabled", { enabled: false }],
  ["exclude the event", { events: { down: false } }],
])("no policy starts if the settings %s", async (_, settings) => {
  await bed.set("global-monitor", { channels: [chat], ...settings });
  await bed.policy({ name: "Ops", steps: [toLead()] });
  await bed.apply(changeOf("opened"));
  await bed.pass(hourMs);
  expect(await bed.db("escalations")).toEqual([]);
});
