import { afterEach, beforeEach, expect, test } from "vitest";
import { type DecidingBed, changeOf, minuteMs, openBed } from "../testing/bed.ts";

const nightMs = Date.parse("2026-05-04T23:00:00Z");
const hourMs = 60 * minuteMs;
const quietHours = { start: "22:00", end: "07:00", timeZone: "UTC" };
let bed: DecidingBed;
let chat: number;
let hook: number;
beforeEach(async () => {
  bed = await openBed({ startMs: nightMs });
  [chat, hook] = [await bed.channel(), await bed.channel({ type: "webhook" })];
  await bed.set("global-monitor", { channels: [chat, hook], cooldownMinutes: 0 });
  await bed.set("global-agent", { channels: [chat, hook], cooldownMinutes: 0 });
});
afterEach(() => bed.db.destroy());

const quietly = (more: object = {}) =>
  bed.set("global-monitor", { channels: [chat, hook], cooldownMinutes: 0, quietHours, ...more });

test("at the end of quiet hours, sends incidents that are still open; machines were notified at once", async () => {
  await quietly();
  await bed.apply(changeOf("opened"));
  expect(await bed.notifications()).toEqual([`m1 opened to ${hook}`]);
  await bed.pass(8 * hourMs - 1);
  expect(await bed.notifications()).toHaveLength(1);
  await bed.pass(1);
  expect(await bed.notifications()).toEqual([`m1 opened to ${hook}`, `m1 opened to ${chat}`]);
  await bed.pass(24 * hourMs);
  expect(await bed.notifications()).toHaveLength(2);
});

test("does not send incidents that ended within the quiet hours to people", async () => {
  await quietly();
  await bed.apply(changeOf("opened"), changeOf("closed"));
  await bed.pass(9 * hourMs);
  expect(await bed.notifications()).toEqual([`m1 opened to ${hook}`, `m1 closed to ${hook}`]);
  expect(await bed.decided()).toEqual([
    `m1 closed to ${chat}: skipped opening_not_told`,
    `m1 closed to ${hook}: sent`,
    `m1 opened to ${chat}: skipped ended_before`,
    `m1 opened to ${hook}: sent`,
  ]);
});

test("decides deferred alerts with the settings at the end of the deferral", async () => {
  await quietly();
  await bed.apply(changeOf("opened"), changeOf("opened", { of: "monitor:2" }));
  const other = await bed.channel();
  await quietly({ channels: [other, hook] });
  await bed.set("monitor", { enabled: false, channels: [chat] }, 2);
  await bed.pass(8 * hourMs);
  expect((await bed.notifications()).slice(2)).toEqual([`m1 opened to ${other}`]);
  expect(await bed.decided()).toEqual([
    `m1 opened to ${hook}: sent`,
    `m1 opened to ${other}: sent`,
    `m2 opened to ${chat}: skipped disabled`,
    `m2 opened to ${hook}: sent`,
  ]);
});

const childOf = (of: string, parent: { type: string; id: number }, intervalMs = minuteMs) =>
  changeOf("opened", { of, facts: { dependsOn: [parent], intervalMs } });
const router = { type: "monitor", id: 9 };

test("defers openings of children while a parent is down, and then sends those that are still open", async () => {
  await bed.apply(changeOf("opened", { of: "monitor:9" }));
  await bed.apply(childOf("monitor:1", router), childOf("monitor:2", router, 5 * minuteMs));
  await bed.pass(hourMs);
  expect(await bed.notifications()).toEqual([`m9 opened to ${chat}`, `m9 opened to ${hook}`]);
  await bed.apply(changeOf("closed", { of: "monitor:9" }));
  // The second recovers before it is due.
  await bed.pass(minuteMs);
  await bed.apply(changeOf("closed", { of: "monitor:2" }));
  expect(await bed.notifications()).toHaveLength(4);
  await bed.pass(5_000);
  expect((await bed.notifications()).slice(4)).toEqual([`m1 opened to ${chat}`, `m1 opened to ${hook}`]);
  await bed.pass(10 * minuteMs);
  expect(await bed.notifications()).toHaveLength(6);
});

test("keeps deferring if the parent fails again within the wait", async () => {
  await bed.apply(changeOf("opened", { of: "monitor:9" }), childOf("monitor:1", router));
  await bed.apply(changeOf("closed", { of: "monitor:9" }));
  await bed.apply(changeOf("opened", { of: "monitor:9", incident: { id: "m90" } }));
  await bed.pass(hourMs);
  expect((await bed.notifications()).filter((text) => text.startsWith("m1 "))).toEqual([]);
  await bed.apply(changeOf("closed", { of: "monitor:9", incident: { id: "m90" } }));
  await bed.pass(minuteMs + 5_000);
  expect((await bed.notifications()).filter((text) => text.startsWith("m1 "))).toEqual([
    `m1 opened to ${chat}`,
    `m1 opened to ${hook}`,
  ]);
});

test("an offline agent defers monitors of its machine, and its message counts and lists them", async () => {
  const here = { hosts: ["WEB-1"] };
  await bed.apply(changeOf("opened", { of: "monitor:1", facts: here }));
  await bed.apply(changeOf("opened", { of: "agent:5", facts: { hosts: ["web-1", "192.0.2.7"] } }));
  await bed.apply(changeOf("opened", { of: "monitor:2", facts: { hosts: ["192.0.2.7"] } }));
  expect((await bed.notifications()).filter((text) => text.endsWith(String(chat)))).toEqual([
    `m1 opened to ${chat}`,
    `a5 opened to ${chat}`,
  ]);
  await bed.apply(changeOf("closed", { of: "agent:5", facts: { hosts: ["web-1", "192.0.2.7"] } }));
  const alerts = await bed.db("alerts").where({ incidentId: "a5" }).orderBy("id");
  expect(alerts.map(({ facts }) => facts.dependents)).toEqual([
    { names: ["the monitor:1"], count: 1 },
    { names: ["the monitor:1", "the monitor:2"], count: 2 },
  ]);
});

test("in a chain, each target is sent after its dependency recovered", async () => {
  const [one, two, three] = ["monitor:1", "monitor:2", "monitor:3"] as const;
  await bed.apply(changeOf("opened", { of: three }), childOf(two, { type: "monitor", id: 3 }));
  await bed.apply(childOf(one, { type: "monitor", id: 2 }));
  await bed.apply(changeOf("closed", { of: three }));
  await bed.pass(minuteMs + 5_000);
  const chatted = async () =>
    (await bed.notifications()).filter((text) => text.endsWith(String(chat)) && text.includes("opened"));
  expect(await chatted()).toEqual([`m3 opened to ${chat}`, `m2 opened to ${chat}`]);
  await bed.apply(changeOf("closed", { of: two }));
  await bed.pass(minuteMs + 5_000);
  expect(await chatted()).toEqual([`m3 opened to ${chat}`, `m2 opened to ${chat}`, `m1 opened to ${chat}`]);
});

test("in a dependency cycle, every target is sent", async () => {
  const ring = [1, 2, 3].map((id) => childOf(`monitor:${id}`, { type: "monitor", id: (id % 3) + 1 }));
  for (const change of ring) await bed.apply(change);
  expect((await bed.notifications()).filter((text) => text.endsWith(String(hook)))).toHaveLength(3);
});

test("a child deferred by a parent then waits for quiet hours that began in the meantime", async () => {
  await quietly();
  await bed.apply(changeOf("opened", { of: "monitor:9" }), childOf("monitor:1", router));
  await bed.apply(changeOf("closed", { of: "monitor:9" }));
  await bed.pass(minuteMs + 5_000);
  expect((await bed.notifications()).filter((text) => text.startsWith("m1"))).toEqual([`m1 opened to ${hook}`]);
  await bed.pass(8 * hourMs);
  expect((await bed.notifications()).filter((text) => text.startsWith("m1"))).toEqual([
    `m1 opened to ${hook}`,
    `m1 opened to ${chat}`,
  ]);
});

test("two notifiers that decide deferred alerts during a closing send each at most once", async () => {
  await quietly();
  const targets = Array.from({ length: 30 }, (_, index) => `monitor:${index + 1}`);
  await bed.apply(...targets.map((of) => changeOf("opened", { of })));
  bed.clock.advance(8 * hourMs);
  await Promise.all([
    bed.pass(0),
    bed.apply(...targets.slice(0, 10).map((of) => changeOf("closed", { of }))),
    bed.pass(0),
    bed.pass(0),
  ]);
  const notifications = (await bed.notifications()).filter(
    (text) => text.includes("opened") && text.endsWith(`to ${chat}`),
  );
  expect(new Set(notifications).size).toBe(notifications.length);
  expect(notifications.length).toBeGreaterThanOrEqual(20);
  // A closing is only sent to channels that were notified of the opening.
  const closed = (await bed.notifications()).filter((text) => text.includes("closed") && text.endsWith(`to ${chat}`));
  expect(closed).toHaveLength(notifications.length - 20);
});

test("an alert of another system defers dependents only if it is critical, and depends like any incident", async () => {
  const alertOf = (name: "opened" | "closed", severity: string) =>
    changeOf(name, {
      of: "monitor:9",
      facts: { severity, link: "https://prometheus.example.com/", labels: { service: "shop" } },
      incident: { id: severity === "critical" ? "m91" : "m92", kind: "external", metric: severity, cause: "Slow" },
    });
  await bed.apply(alertOf("opened", "warning"), childOf("monitor:1", router));
  expect((await bed.notifications()).filter((text) => text.endsWith(String(chat)))).toEqual([
    `m92 opened to ${chat}`,
    `m1 opened to ${chat}`,
  ]);
  await bed.apply(alertOf("opened", "critical"), childOf("monitor:2", router));
  expect(await bed.decided()).toContain(`m2 opened to ${chat}: held dependency`);
  await bed.apply(alertOf("closed", "critical"));
  await bed.pass(minuteMs + 5_000);
  expect(await bed.notifications()).toContain(`m2 opened to ${chat}`);
  const { facts } = await bed.db("alerts").where({ incidentId: "m91" }).orderBy("id").first();
  expect(facts).toMatchObject({ kind: "external", severity: "critical", labels: { service: "shop" } });
});

test("alerts of other systems can be turned off, also for a monitor with reminders", async () => {
  await bed.set("global-monitor", { channels: [chat], cooldownMinutes: 30, events: { external: false } });
  await bed.apply(changeOf("opened", { incident: { kind: "external", metric: "disk" } }));
  await bed.pass(hourMs);
  expect(await bed.decided()).toEqual([`m1 opened to ${chat}: skipped event_off`]);
});
